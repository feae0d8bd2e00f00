import { readableText } from '../../../shared/text/shown-text.ts'

/**
 * A remark plugin that shows raw HTML as literal text: an agent's text never creates elements, and
 * nothing is dropped, so that `Map<string, number>` outside of code stays readable. Characters that can't be seen, such as
 * direction marks, are shown (V4).
 */
interface Node {
  type: string
  value?: string
  children?: Node[]
}

export function literalHtml() {
  return (tree: Node): void => visit(tree)
}

function visit(node: Node): void {
  for (const child of node.children ?? []) {
    if (child.type === 'html') child.type = 'text'
    if (child.value !== undefined) child.value = readableText(child.value)
    visit(child)
  }
  // A block of HTML takes the place of a paragraph, so its text needs one.
  if (node.type === 'root') {
    node.children = node.children?.map((child) =>
      child.type === 'text' ? { type: 'paragraph', children: [child] } : child,
    )
  }
}
