/** What every client takes: names are letters, digits and `_`, and not long. */
const LONGEST = 60;

function baseName(workflow_name: string): string {
  const name = workflow_name
    .toLowerCase()
    .replace(/[\s-]/g, '_')
    .replace(/[^a-z0-9_]/g, '')
    .slice(0, LONGEST);
  return /[a-z0-9]/.test(name) ? name : 'workflow';
}

/**
 * Tool names from the names of workflows (§2.1). Of two that come to the same name the earlier one in the list keeps it and
 * the later one gets a number, so that a new workflow never takes the name of another one's tool.
 */
export function toolNames<Named extends { readonly name: string }>(
  workflows: readonly Named[],
): Map<string, Named> {
  const names = new Map<string, Named>();
  for (const workflow of workflows) {
    const base = baseName(workflow.name);
    let name = base;
    for (let number = 2; names.has(name); number += 1) name = `${base}_${number}`;
    names.set(name, workflow);
  }
  return names;
}
