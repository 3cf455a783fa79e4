import * as contracts from '@millrace/contracts';
import type { Binder } from '../../http/bind.ts';
import { bindTeamShares, bindUserShares } from '../shares/http/bind-shares.ts';
import { workflowShareable } from '../shares/shareable.ts';

/** Sharing of workflows (§2.5, §4.6): the owner gives and takes back. */
export function bindWorkflowShares(binder: Binder): void {
  bindUserShares(binder, workflowShareable, contracts.workflowUserShares);
  bindTeamShares(binder, workflowShareable, contracts.workflowTeamShares);
}
