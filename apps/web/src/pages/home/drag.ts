/** Type of what a dragged workflow carries; readable while hovering, unlike its content. */
export const WORKFLOW_DRAG = 'application/x-millrace-workflow';

export const carriesWorkflow = (transfer: DataTransfer): boolean => transfer.types.includes(WORKFLOW_DRAG);
export const draggedWorkflow = (transfer: DataTransfer): string => transfer.getData(WORKFLOW_DRAG);
