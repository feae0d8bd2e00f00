/** Serves the built renderer's files, for the desktop's scheme and the web host. */
import { readFile, realpath, stat } from 'node:fs/promises'
import { extname, isAbsolute, join, relative, sep } from 'node:path'
import { securityHeaders } from './content-security.ts'

interface FileResponse {
  status: 200 | 400 | 404
  headers: Record<string, string>
  body: Uint8Array<ArrayBuffer>
}

/** The file types that Vite builds; any other is not served. */
const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
}

/**
 * Answers a URL's path, encoded as in the URL (`/` for the page). Serves only regular files whose real paths are inside
 * `rendererDir`. Every answer has the security headers. Rejects if a file can't be read.
 */
export async function readRendererFile(
  rendererDir: string,
  urlPath: string,
): Promise<FileResponse> {
  const names = fileNamesOf(urlPath)
  if (names === null) return plain(400, 'The path of this address is malformed.')
  const type = contentTypes[extname(names.at(-1) ?? '').toLowerCase()]
  if (type === undefined) return plain(404, 'There is nothing at this address.')
  const body = await readInside(rendererDir, names)
  if (body === null) return plain(404, 'There is nothing at this address.')
  // Vite names files in assets/ by their content, so they can be cached permanently; a cached page would keep
  // requesting the assets of an old build.
  const cache = names[0] === 'assets' ? 'private, max-age=31536000, immutable' : 'no-store'
  return {
    status: 200,
    headers: { ...securityHeaders, 'Content-Type': type, 'Cache-Control': cache },
    body,
  }
}

/** Returns null for a path that is malformed or has a name with a special meaning in a file system. */
function fileNamesOf(urlPath: string): string[] | null {
  let path: string
  try {
    path = decodeURIComponent(urlPath)
  } catch {
    return null
  }
  if (!path.startsWith('/')) return null
  const names = (path === '/' ? '/index.html' : path).slice(1).split('/')
  const isPlainName = (name: string) =>
    name !== '' && name !== '.' && name !== '..' && !/[\\:\0]/.test(name)
  return names.every(isPlainName) ? names : null
}

async function readInside(dir: string, names: string[]): Promise<Uint8Array<ArrayBuffer> | null> {
  try {
    const root = await realpath(dir)
    const file = await realpath(join(root, ...names))
    const inside = relative(root, file)
    if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) {
      return null
    }
    return await contentOf(file)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? ''
    if (['ENOENT', 'ENOTDIR', 'EISDIR', 'ENAMETOOLONG', 'ELOOP'].includes(code)) return null
    throw error
  }
}

/** Cached files by path, so that slow clients share one copy. The build has a few MB. */
const contents = new Map<string, { stamp: string; bytes: Promise<Uint8Array<ArrayBuffer>> }>()

async function contentOf(file: string): Promise<Uint8Array<ArrayBuffer>> {
  const { ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true })
  const stamp = `${ino} ${size} ${mtimeNs} ${ctimeNs}`
  const known = contents.get(file)
  if (known?.stamp === stamp) return known.bytes
  const bytes = readFile(file)
  contents.set(file, { stamp, bytes })
  bytes.catch(() => contents.delete(file))
  return bytes
}

function plain(status: 400 | 404, text: string): FileResponse {
  return {
    status,
    headers: {
      ...securityHeaders,
      'Content-Type': 'text/plain; charset=utf-8',
      'Cache-Control': 'no-store',
    },
    body: new TextEncoder().encode(`${text}\n`),
  }
}
