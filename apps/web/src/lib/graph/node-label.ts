export const getNodeLabel = (node: { id: string; data: Readonly<Record<string, unknown>> }): string => {
  const label = node.data['label'];
  return typeof label === 'string' && label !== '' ? label : node.id;
};
