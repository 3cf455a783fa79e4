import type { Json, WorkflowDocument } from '@millrace/engine';
import { catalog } from '@millrace/nodes/catalog';
import { useEffect } from 'react';
import { useDocument } from '../../features/document/context.ts';
import { Configure } from '../panel/configure.tsx';
import { showInEditor } from './show-in-editor.tsx';

/** Shows the form of the first node of a document. Returns what reads a parameter of the node as it is stored then. */
export async function showForm(document: WorkflowDocument): Promise<(name: string) => Json | undefined> {
  let stored = document.nodes[0]?.data;
  function Form() {
    const node = useDocument((state) => state.document.nodes[0]);
    useEffect(() => {
      stored = node?.data;
    }, [node]);
    return node ? <Configure node={node} definition={catalog.get(node.type)} /> : null;
  }
  await showInEditor(document, <Form />);
  return (name) => stored?.[name];
}
