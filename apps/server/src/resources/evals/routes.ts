import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import * as proposals from './proposals.ts';
import * as runs from './runs/service.ts';
import * as suites from './suites.ts';

export function bindEvals({ json, services }: Binder): void {
  json(contracts.listEvalSuites, (ctx) => suites.listSuites(ctx));
  json(contracts.createEvalSuite, (ctx, { body }) => suites.createSuite(ctx, body));
  json(contracts.readEvalSuite, (ctx, { params }) => suites.readSuite(ctx, params.id));
  json(contracts.updateEvalSuite, (ctx, { params, body }) => suites.updateSuite(ctx, params.id, body));
  json(contracts.deleteEvalSuite, (ctx, { params }) => suites.deleteSuite(ctx, params.id));
  json(contracts.createEvalTestCase, (ctx, { params, body }) => suites.createCase(ctx, params.id, body));
  json(contracts.updateEvalTestCase, (ctx, { params: { id, case_id }, body }) =>
    suites.updateCase(ctx, { suite_id: id, case_id }, body),
  );
  json(contracts.deleteEvalTestCase, (ctx, { params: { id, case_id } }) =>
    suites.deleteCase(ctx, { suite_id: id, case_id }),
  );
  json(contracts.optimizeEvalPrompt, (ctx, { params, body }) =>
    proposals.optimizePrompt(ctx, services, { suite_id: params.id, ...body }),
  );
  json(contracts.generateEvalTestData, (ctx, { params, body }) =>
    proposals.generateCases(ctx, services, { suite_id: params.id, ...body }),
  );
  json(contracts.startEvalRun, (ctx, { params, body }) =>
    runs.startRun({ ...ctx, parsers: services.parsers }, params.id, body),
  );
  json(contracts.listEvalRuns, (ctx, { params }) => runs.listRuns(ctx, params.id));
  json(contracts.deleteEvalRuns, (ctx, { params }) => runs.deleteRuns(ctx, params.id));
  json(contracts.readEvalRun, (ctx, { params }) => runs.readRun(ctx, params.id));
  json(contracts.readEvalResult, (ctx, { params }) => runs.readResult(ctx, params));
  json(contracts.renameEvalRun, (ctx, { params, body }) => runs.renameRun(ctx, params.id, body.name));
  json(contracts.cancelEvalRun, (ctx, { params }) => runs.cancelRun(ctx, params.id));
  json(contracts.deleteEvalRun, (ctx, { params }) => runs.deleteRun(ctx, params.id));
}
