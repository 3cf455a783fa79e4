import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkFileSizes, checkFolderSizes } from './budgets.ts';
import { namedPaths } from './documents.ts';
import { listSources, readModule } from './modules.ts';
import { checkCycles, checkResolves, checkRules, findFloor, RULES } from './rules.ts';
import { checkStatements } from './statements.ts';
import { checkTranslations, markUntranslated } from './translations.ts';

const workspace = new Map([
  ['@millrace/engine', 'packages/engine/src/index.ts'],
  ['@millrace/import-n8n', 'packages/import-n8n/src/index.ts'],
  ['@millrace/nodes/catalog', 'packages/nodes/src/catalog.ts'],
  ['@millrace/nodes/runtime', 'packages/nodes/src/runtime.ts'],
]);
const module = (path: string, text: string) => readModule(path, text, workspace);

/** For each rule a module that breaks it and one that does not. */
const EXAMPLES: Record<
  string,
  { breaks: [path: string, text: string]; keeps: [path: string, text: string] }
> = {
  'layer-config': {
    breaks: ['apps/server/src/config.ts', "import { AppError } from './core/app-error.ts';"],
    keeps: ['apps/server/src/core/log/log.ts', "import type { Config } from '../../config.ts';"],
  },
  'layer-core': {
    breaks: [
      'apps/server/src/core/secrets/tokens.ts',
      "import type { Db } from '../../database/database.ts';",
    ],
    keeps: [
      'apps/server/src/core/catch-up.ts',
      "import type { ChangeClock } from '../ports/coordination/change-clock.ts';",
    ],
  },
  'layer-database': {
    breaks: ['apps/server/src/database/audit.ts', "import type { Context } from '../execution/context.ts';"],
    keeps: ['apps/server/src/database/audit.ts', "import type { Actor } from '../core/actor.ts';"],
  },
  'layer-execution': {
    breaks: [
      'apps/server/src/execution/workflows/access-cache.ts',
      "import { canSeeWorkflow } from '../../resources/workflows/access.ts';",
    ],
    keeps: ['apps/server/src/execution/context.ts', "import type { Db } from '../database/database.ts';"],
  },
  'layer-resources': {
    breaks: ['apps/server/src/resources/files/service.ts', "import { bind } from '../../http/bind.ts';"],
    keeps: ['apps/server/src/resources/files/routes.ts', "import { bind } from '../../http/bind.ts';"],
  },
  'layer-http': {
    breaks: ['apps/server/src/http/health.ts', "import { compose } from '../startup/compose.ts';"],
    keeps: [
      'apps/server/src/http/callers/session.ts',
      "import { endSession } from '../../resources/auth/sessions.ts';",
    ],
  },
  'floor-lib': {
    breaks: ['apps/web/src/lib/json/json-diff.ts', "import { Time } from '../../ui/display/time.tsx';"],
    keeps: ['apps/web/src/lib/json/json-diff.ts', "import type { Path } from './json-path.ts';"],
  },
  'floor-i18n': {
    breaks: ['apps/web/src/i18n/texts.ts', "import { Button } from '../ui/actions/button.tsx';"],
    keeps: ['apps/web/src/i18n/texts.ts', "import { usePreferences } from '../session/preferences.ts';"],
  },
  'floor-ui': {
    breaks: ['apps/web/src/ui/forms/picker.tsx', "import { useWorkflows } from '../../data/workflows.ts';"],
    keeps: ['apps/web/src/ui/forms/picker.tsx', "import { bestMatches } from '../../lib/fuzzy.ts';"],
  },
  'floor-chat': {
    breaks: ['apps/web/src/chat/texts.ts', "import { useMe } from '../data/session.ts';"],
    keeps: ['apps/web/src/chat/texts.ts', "import { localeFor } from '../lib/locale.ts';"],
  },
  'floor-data': {
    breaks: [
      'apps/web/src/data/chats.ts',
      "import type { Conversation } from '../features/conversation/use-conversation.ts';",
    ],
    keeps: ['apps/web/src/data/api.ts', "import { getToken } from '../session/session.ts';"],
  },
  'floor-features': {
    breaks: [
      'apps/web/src/features/credential/credential-dialog.tsx',
      "import { useEditor } from '../../editor/state/context.tsx';",
    ],
    keeps: [
      'apps/web/src/features/credential/type-picker.test.tsx',
      "import { showInEditor } from '../../editor/testing/show-in-editor.tsx';",
    ],
  },
  'floor-editor': {
    breaks: [
      'apps/web/src/editor/header/notices.tsx',
      "import { BoardPage } from '../../pages/boards/board-page.tsx';",
    ],
    keeps: [
      'apps/web/src/editor/header/notices.tsx',
      "import { BudgetNotices } from '../../features/workflow/budget-notices.tsx';",
    ],
  },
  'floor-pages': {
    breaks: ['apps/web/src/pages/home/place.ts', "import { Frame } from '../../shell/frame.tsx';"],
    keeps: ['apps/web/src/pages/home/place.ts', "import { useWorkflows } from '../../data/workflows.ts';"],
  },
  'floor-shell': {
    breaks: ['apps/web/src/shell/frame.tsx', "import { router } from '../routes/routes.tsx';"],
    keeps: ['apps/web/src/shell/frame.tsx', "import { SignInForm } from '../pages/auth/sign-in-form.tsx';"],
  },
  'one-page-shows-the-editor': {
    breaks: [
      'apps/web/src/pages/runs/run/run-graph.tsx',
      "import { useEditor } from '../../../editor/state/context.tsx';",
    ],
    keeps: [
      'apps/web/src/pages/editor/editor-page.tsx',
      "import { EditorScreen } from '../../editor/screen/editor-screen.tsx';",
    ],
  },
  'store-imports-the-model': {
    breaks: [
      'apps/server/src/execution/store/load.ts',
      "import type { Journal } from '../journal/journal.ts';",
    ],
    keeps: ['apps/server/src/execution/store/load.ts', "import type { StoredRun } from '../model/run.ts';"],
  },
  'engine-is-pure': {
    breaks: ['packages/engine/src/run/drive.ts', "import { readFileSync } from 'node:fs';"],
    keeps: ['packages/engine/src/run/drive.ts', "import { z } from 'zod';"],
  },
  'definitions-are-browser-safe': {
    breaks: ['packages/nodes/src/http/definition.ts', "import { runHttp } from './run.ts';"],
    keeps: ['packages/nodes/src/http/definition.ts', "import { defineNode } from '@millrace/engine';"],
  },
  'nodes-do-not-know-each-other': {
    breaks: ['packages/nodes/src/http/run.ts', "import { x } from '../set/run.ts';"],
    keeps: ['packages/nodes/src/http/run.ts', "import { x } from '../kit/values/numeric.ts';"],
  },
  'models-stand-alone': {
    breaks: [
      'packages/models/src/answer/complete.ts',
      "import { implementations } from '@millrace/nodes/runtime';",
    ],
    keeps: ['packages/models/src/answer/complete.ts', "import { NodeFailure } from '@millrace/engine';"],
  },
  'imports-stand-alone': {
    breaks: ['packages/import-n8n/src/convert.ts', "import { catalog } from '@millrace/nodes/catalog';"],
    keeps: ['packages/import-n8n/src/convert.test.ts', "import { catalog } from '@millrace/nodes/catalog';"],
  },
  'providers-stay-in-models': {
    breaks: ['packages/nodes/src/llm/run.ts', "import { createOpenAI } from '@ai-sdk/openai';"],
    keeps: [
      'packages/models/src/provider/language-model.ts',
      "import type { LanguageModelV3 } from '@ai-sdk/provider';",
    ],
  },
  'packages-never-import-apps': {
    breaks: ['packages/contracts/src/a.ts', "import { x } from '../../../apps/server/src/startup/app.ts';"],
    keeps: ['packages/contracts/src/a.ts', "import { x } from './b.ts';"],
  },
  'web-never-imports-the-server-side': {
    breaks: ['apps/web/src/a.ts', "import { implementations } from '@millrace/nodes/runtime';"],
    keeps: ['apps/web/src/a.ts', "import { compile } from '@millrace/engine';"],
  },
  'routes-go-through-services': {
    breaks: ['apps/server/src/resources/folders/routes.ts', "import { folderById } from './queries.ts';"],
    keeps: ['apps/server/src/resources/folders/routes.ts', "import { createFolder } from './service.ts';"],
  },
  'services-are-framework-free': {
    breaks: ['apps/server/src/resources/folders/service.ts', "import type { FastifyReply } from 'fastify';"],
    keeps: ['apps/server/src/resources/folders/routes.ts', "import type { FastifyReply } from 'fastify';"],
  },
  'only-compose-picks-adapters': {
    breaks: ['apps/server/src/execution/admit.ts', "import { open } from '../adapters/pglite/open.ts';"],
    keeps: ['apps/server/src/startup/compose.ts', "import { open } from '../adapters/pglite/open.ts';"],
  },
  'resources-meet-at-their-service': {
    breaks: [
      'apps/server/src/resources/folders/service.ts',
      "import { workflowById } from '../workflows/queries.ts';",
    ],
    keeps: [
      'apps/server/src/resources/folders/service.ts',
      "import { requireWorkflow } from '../workflows/access.ts';",
    ],
  },
  'requests-leave-through-egress': {
    breaks: ['packages/nodes/src/http/run.ts', "import { request } from 'node:https';"],
    keeps: ['packages/nodes/src/services.ts', "import type { Socket } from 'node:net';"],
  },
  'product-never-imports-test-code': {
    breaks: ['apps/server/src/startup/app.ts', "import { createTestApp } from '../testing/test-app.ts';"],
    keeps: ['apps/server/src/startup/app.test.ts', "import { createTestApp } from '../testing/test-app.ts';"],
  },
};

describe('dependency rules', () => {
  for (const rule of RULES) {
    it(`${rule.name} fires`, () => {
      const example = EXAMPLES[rule.name];
      expect(example, 'every rule needs an example').toBeDefined();
      if (!example) return;
      expect(checkRules([module(...example.breaks)]).map((violation) => violation.rule)).toContain(rule.name);
      expect(checkRules([module(...example.keeps)]).map((violation) => violation.rule)).not.toContain(
        rule.name,
      );
    });
  }

  it('neither nodes nor the web app load the import of n8n, which the server does', () => {
    const text = "import { N8N_PARSERS } from '@millrace/import-n8n';";
    const findBrokenRules = (path: string) => checkRules([module(path, text)]).map(({ rule }) => rule);
    expect(findBrokenRules('packages/nodes/src/parser-table.ts')).toEqual(['imports-stand-alone']);
    expect(findBrokenRules('apps/web/src/a.ts')).toEqual(['imports-stand-alone']);
    expect(findBrokenRules('apps/server/src/ports/parsers.ts')).toEqual([]);
  });

  it('every file of the web app is on a floor', () => {
    const files = listSources(fileURLToPath(new URL('../..', import.meta.url)), ['apps/web/src']);
    expect(files.length).toBeGreaterThan(500);
    expect(files.filter((path) => !path.endsWith('.test.ts') && findFloor(path) === -1)).toEqual([]);
  });

  it('an import that leads nowhere is found, also a dynamic one', () => {
    const broken = module('tools/a.ts', "const x = await import('./missing.ts');");
    expect(checkResolves([broken], () => false)).toHaveLength(1);
  });

  it('a cycle is found', () => {
    const a = module('packages/engine/src/a.ts', "import { b } from './b.ts';");
    const b = module('packages/engine/src/b.ts', "import { a } from './a.ts';");
    expect(checkCycles([a, b])).toHaveLength(1);
  });

  it('a cycle through an import of types is found', () => {
    const a = module('packages/engine/src/run/a.ts', "import { b } from './b.ts';");
    const b = module('packages/engine/src/run/b.ts', "import type { A } from './a.ts';");
    expect(checkCycles([a, b]).map(({ message }) => message)).toEqual([
      'packages/engine/src/run/a.ts -> packages/engine/src/run/b.ts -> packages/engine/src/run/a.ts',
    ]);
  });
});

describe('size budgets', () => {
  it('a file over the budget is found, a table is not', () => {
    const long = 'x;\n'.repeat(401);
    expect(checkFileSizes([module('tools/a.ts', long)])).toHaveLength(1);
    expect(checkFileSizes([module('tools/cases.ts', long)])).toHaveLength(0);
  });

  it('a folder with too many entries is found', () => {
    const many = Array.from({ length: 16 }, (_, index) => module(`tools/many/${index}.ts`, ''));
    expect(checkFolderSizes(many).map((violation) => violation.path)).toEqual(['tools/many']);
    expect(checkFolderSizes(many.slice(1))).toHaveLength(0);
  });
});

describe('statements on runs', () => {
  it('are found outside of the store, and not in it, in tests, on other tables, or where a resource only reads', () => {
    const found = (path: string, text: string) =>
      checkStatements([{ path: `apps/server/src/${path}`, text }]);
    const text = 'const sql = `DELETE FROM runs WHERE id = $1`;';
    expect(found('resources/executions/history/service.ts', text)).toHaveLength(1);
    expect(found('triggers/fire.ts', 'UPDATE waits SET applied = true')).toHaveLength(1);
    expect(found('resources/workflows/queries.ts', 'db.delete(runs)')).toHaveLength(1);
    expect(found('resources/workflows/queries.ts', 'db.delete(runDeletions)')).toEqual([]);
    expect(found('resources/inbox/queries.ts', 'SELECT id FROM runs r JOIN waits w')).toEqual([]);
    expect(found('triggers/fire.ts', 'SELECT id FROM runs')).toHaveLength(1);
    expect(found('execution/journal/journal.ts', 'db.select().from(steps)')).toHaveLength(1);
    expect(found('execution/store/history/remove.ts', text)).toEqual([]);
    expect(found('resources/executions/history/history.test.ts', text)).toEqual([]);
    expect(found('triggers/causes.ts', 'DELETE FROM trigger_causes')).toEqual([]);
    const resign = 'UPDATE workers SET alive = false';
    expect(found('execution/ownership/membership.ts', resign)).toHaveLength(1);
    expect(found('execution/store/workers.ts', resign)).toEqual([]);
    expect(found('triggers/host/shares.ts', resign)).toEqual([]);
  });
});

describe('documents', () => {
  it('paths in backquotes and links are found, code blocks and web addresses are not', () => {
    const text =
      'See `apps/server/src/main.ts` and [this](docs/x.md), [web](https://example.com).\n```\n`apps/none.ts`\n```\n';
    expect(namedPaths(text)).toEqual(['apps/server/src/main.ts', './docs/x.md']);
  });
});

it('finds a German text that was not translated', () => {
  const file = (german: string) => ({
    path: 'a/de.json',
    text: JSON.stringify({ Parcels: german }, null, 2),
  });
  expect(checkTranslations([file('Pakete')])).toEqual([]);
  expect(checkTranslations([file(markUntranslated('Parcels'))])).toEqual([
    { rule: 'texts-are-translated', path: 'a/de.json', message: 'has no German text for "Parcels"' },
  ]);
});
