/** Text from agents and tools: never trusted. */
export { CodeBlock } from './code-block.tsx'
export { ExternalLink } from './external-link.tsx'
export { linkAddress } from './link-address.ts'
export { type OpenLink, OpenLinkContext } from './link-context.ts'
export { Markdown } from './markdown.tsx'
export { markdownPieces } from './markdown-pieces.ts'
