/** What each call of `node:fs` is about: the operation that it makes, and where. */
import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { inside, isIgnored, session } from './session.ts'
import type { Operation } from './trace.ts'

/** What a call is about: null when it does not concern the recorded directory. */
export interface Description {
  path: string
  operation: Operation | null
  /** How many bytes a write really took. */
  took?: (result: unknown) => void
  /** Called with what `open` gave. */
  opened?: (result: number | FileHandle) => void
  /** Makes a part of a write happen. */
  tear?: (share: number) => void
}

export type Arguments = readonly unknown[]
export type Describe = (args: Arguments) => Description | null

/** As Node has them. */
export const real = { ...fs }

const looks: Describe = ([target]) => {
  const found = inside(target)
  return found === null ? null : { path: found, operation: null }
}

const changesName =
  (kind: 'unlink' | 'rmdir'): Describe =>
  ([target]) => {
    const found = inside(target)
    return found === null ? null : { path: found, operation: { kind, path: found } }
  }

const describeOpen: Describe = ([target, flags = 'r']) => {
  const found = inside(target)
  if (found === null || !session) return null
  const { creates, truncates, appends, exclusive } = openFlags(flags)
  const there = real.existsSync(String(target))
  const handle = session.nextHandle++
  const mine = session
  const operation: Operation = {
    kind: 'open',
    path: found,
    handle,
    creates: creates && !there,
    truncates: truncates && there && !exclusive,
  }
  return {
    path: found,
    operation,
    opened(result) {
      const fd = typeof result === 'number' ? result : result.fd
      mine.handles.set(fd, { handle, path: found, appends, position: 0 })
      // `close` is no method of the prototype, so it can't be patched; the event comes as it is called.
      if (result instanceof EventEmitter) result.once('close', () => mine.handles.delete(fd))
    },
  }
}

export const byPath: Record<string, Describe> = {
  open: describeOpen,
  unlink: changesName('unlink'),
  rmdir: changesName('rmdir'),
  mkdir: ([target]) => {
    const found = inside(target)
    return found === null ? null : { path: found, operation: { kind: 'mkdir', path: found } }
  },
  rename: ([from, to]) => twoNames('rename', from, to),
  link: ([from, to]) => twoNames('link', from, to),
  symlink: ([target, name]) => {
    const found = inside(name)
    return found === null
      ? null
      : { path: found, operation: { kind: 'symlink', path: found, target: String(target) } }
  },
  readFile: looks,
  readdir: looks,
  lstat: looks,
  stat: looks,
  access: looks,
  realpath: looks,
}

function twoNames(kind: 'rename' | 'link', from: unknown, to: unknown): Description | null {
  const [source, target] = [inside(from), inside(to)]
  if (source === null && target === null) return null
  // Files that nobody recorded come in or go out: the call can be counted, and not replayed.
  if (isIgnored(from) || isIgnored(to)) return { path: target ?? source ?? '', operation: null }
  if (source === null || target === null)
    throw new Error(`a ${kind} across the recorded directory: ${String(from)} -> ${String(to)}`)
  return { path: target, operation: { kind, from: source, path: target } }
}

export const byHandle: Record<string, (fd: number, args: Arguments) => Description | null> = {
  read: (fd) => {
    const open = session?.handles.get(fd)
    return open ? { path: open.path, operation: null } : null
  },
  write: (fd, args) => describeWrite(fd, bytesOf(args), positionOf(args)),
  writev: (fd, [parts, position]) =>
    describeWrite(
      fd,
      Buffer.concat((parts as NodeJS.ArrayBufferView[]).map((part) => bytesOf([part]))),
      position,
    ),
  fsync: (fd) => describeHandle(fd, (handle) => ({ kind: 'sync', handle })),
  fdatasync: (fd) => describeHandle(fd, (handle) => ({ kind: 'sync', handle })),
  ftruncate: (fd, [size]) =>
    describeHandle(fd, (handle) => ({
      kind: 'truncate',
      handle,
      size: Number(size ?? 0),
    })),
}

function describeHandle(fd: number, operation: (handle: number) => Operation): Description | null {
  const open = session?.handles.get(fd)
  return open ? { path: open.path, operation: operation(open.handle) } : null
}

function describeWrite(fd: number, data: Buffer, position: unknown): Description | null {
  const open = session?.handles.get(fd)
  if (!open) return null
  const at =
    typeof position === 'number' ? position : open.appends ? real.fstatSync(fd).size : open.position
  const operation: Operation = { kind: 'write', handle: open.handle, at, data: Buffer.from(data) }
  return {
    path: open.path,
    operation,
    took(result) {
      const bytes = typeof result === 'number' ? result : (result as WriteResult)?.bytesWritten
      if (typeof bytes === 'number') operation.data = operation.data.subarray(0, bytes)
      if (typeof position !== 'number') open.position = at + operation.data.length
    },
    tear(share) {
      operation.data = operation.data.subarray(0, Math.floor(operation.data.length * share))
      // Into an appending handle the system writes at the end, whatever position is named.
      if (operation.data.length > 0) real.writeSync(fd, operation.data, 0, undefined, at)
    },
  }
}

interface WriteResult {
  bytesWritten?: number
}

export function bytesOf(args: Arguments): Buffer {
  const [data, second, third] = args
  if (typeof data === 'string')
    return Buffer.from(data, typeof third === 'string' ? (third as BufferEncoding) : 'utf8')
  const view = data as NodeJS.ArrayBufferView
  const named = typeof second === 'object' && second !== null ? (second as WriteOptions) : null
  const offset = named ? (named.offset ?? 0) : Number(second ?? 0)
  const length = named ? named.length : (third as number | null | undefined)
  return Buffer.from(view.buffer, view.byteOffset + offset, length ?? view.byteLength - offset)
}

interface WriteOptions {
  offset?: number
  length?: number
  position?: number | null
}

function positionOf([data, second, , fourth]: Arguments): unknown {
  if (typeof data === 'string') return second
  if (typeof second === 'object' && second !== null) return (second as WriteOptions).position
  return fourth
}

function openFlags(flags: unknown) {
  if (typeof flags === 'number') {
    const { O_CREAT, O_TRUNC, O_APPEND, O_EXCL } = fs.constants
    return {
      creates: (flags & O_CREAT) !== 0,
      truncates: (flags & O_TRUNC) !== 0,
      appends: (flags & O_APPEND) !== 0,
      exclusive: (flags & O_EXCL) !== 0,
    }
  }
  const text = String(flags)
  return {
    creates: /[wa]/.test(text),
    truncates: text.startsWith('w'),
    appends: text.startsWith('a'),
    exclusive: text.includes('x'),
  }
}

export const isMereOpening = (operation: Operation): boolean =>
  operation.kind === 'open' && !operation.creates && !operation.truncates
