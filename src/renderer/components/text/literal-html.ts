/**
 * A remark plugin that turns raw HTML into the text it was written as. Nothing an agent writes becomes
 * an element, and nothing disappears either: `Map<string, number>` outside of code stays readable.
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
    visit(child)
  }
  // A block of HTML stands where a paragraph would; its text needs one.
  if (node.type === 'root') {
    node.children = node.children?.map((child) =>
      child.type === 'text' ? { type: 'paragraph', children: [child] } : child,
    )
  }
}
