/**
 * Watches, and makes fail, every call that this process makes to the file system below one directory:
 * our own code and any dependency's. `node:fs`, `fs.promises` and FileHandle are patched in place, once,
 * when this file is loaded; nothing is watched unless a recording is under way. What child processes do
 * (git above all) is not seen.
 */
import { EventEmitter } from 'node:events'
import fs from 'node:fs'
import fsPromises, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import path from 'node:path'
import type { Operation, Step, Trace } from './trace.ts'
import { readTree } from './tree.ts'

/** A call that is about to be made. */
export interface Attempt {
  /** Counts the calls of this recording, those that only look included, from 1. */
  n: number
  /** Name of the function: open, write, datasync, readdir … */
  call: string
  /** Relative to the recorded directory. */
  path: string
  /** False for a call that only looks. */
  changes: boolean
}

export interface Fault {
  code: string
  /** Share of a write that reaches the disk all the same, 0 to 1. */
  tear?: number
}

export interface Recording {
  readonly trace: Trace
  /** Calls made so far. */
  readonly attempts: number
  /** Marks that somebody was told `fact`. */
  ack(fact: unknown): void
  /** Ends the recording; handles that are still open go on unwatched. */
  stop(): Trace
}

interface Session {
  root: string
  ignore: (path: string) => boolean
  inject: ((attempt: Attempt) => Fault | null) | null
  trace: Trace
  attempts: number
  handles: Map<number, OpenHandle>
  nextHandle: number
}

interface OpenHandle {
  handle: number
  path: string
  appends: boolean
  position: number
}

let session: Session | null = null

/**
 * Records what happens below `root`. One recording at a time. `ignore` leaves paths out, relative to the
 * root; `inject` may answer a fault for any call, which is then not made.
 */
export function record(
  root: string,
  options: {
    ignore?: (path: string) => boolean
    inject?: (attempt: Attempt) => Fault | null
  } = {},
): Recording {
  if (session) throw new Error('a recording is under way')
  const mine: Session = {
    root: path.resolve(root),
    ignore: options.ignore ?? (() => false),
    inject: options.inject ?? null,
    trace: { before: readTree(root), steps: [] },
    attempts: 0,
    handles: new Map(),
    nextHandle: 1,
  }
  session = mine
  return {
    trace: mine.trace,
    get attempts() {
      return mine.attempts
    },
    ack: (fact) => void begin({ kind: 'ack', fact }),
    stop() {
      if (session === mine) session = null
      return mine.trace
    },
  }
}

function begin(operation: Operation): Step | null {
  if (!session) return null
  const { steps } = session.trace
  const step: Step = { operation, begunAt: steps.length, doneAt: null, failed: false }
  steps.push(step)
  if (operation.kind === 'ack') step.doneAt = steps.length
  return step
}

function inside(given: unknown): string | null {
  if (!session) return null
  const text = given instanceof URL ? given.pathname : given
  if (typeof text !== 'string' && !Buffer.isBuffer(text)) return null
  const relative = path.relative(session.root, path.resolve(String(text)))
  if (relative === '..' || relative.startsWith(`..${path.sep}`) || path.isAbsolute(relative))
    return null
  const found = relative.split(path.sep).join('/')
  return session.ignore(found) ? null : found
}

/** What a call is about: null when it does not concern the recorded directory. */
interface Description {
  path: string
  operation: Operation | null
  /** How many bytes a write really took. */
  took?: (result: unknown) => void
  /** Called with what `open` gave. */
  opened?: (result: number | FileHandle) => void
  /** Makes a part of a write happen. */
  tear?: (share: number) => void
}

type Arguments = readonly unknown[]
type Describe = (args: Arguments) => Description | null

const real = { ...fs }
const realPromises = { ...fsPromises }

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

const byPath: Record<string, Describe> = {
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
  if (source === null || target === null)
    throw new Error(`a ${kind} across the recorded directory: ${String(from)} -> ${String(to)}`)
  return { path: target, operation: { kind, from: source, path: target } }
}

const byHandle: Record<string, (fd: number, args: Arguments) => Description | null> = {
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

function bytesOf(args: Arguments): Buffer {
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

/** Counts the call, and answers the fault that takes its place. */
function attempt(call: string, described: Description): Fault | null {
  if (!session) return null
  session.attempts += 1
  const changes = described.operation !== null && !isMereOpening(described.operation)
  return session.inject?.({ n: session.attempts, call, path: described.path, changes }) ?? null
}

const isMereOpening = (operation: Operation): boolean =>
  operation.kind === 'open' && !operation.creates && !operation.truncates

function errorFor(fault: Fault, call: string, at: string): Error {
  const message = `${fault.code}: injected, ${call} '${at}'`
  return Object.assign(new Error(message), { code: fault.code, syscall: call, path: at })
}

/** Runs the three moments of a call around it: before, well ended, badly ended. */
function around(call: string, described: Description) {
  const fault = attempt(call, described)
  const step = described.operation && begin(described.operation)
  const steps = session?.trace.steps
  if (fault) {
    if (fault.tear !== undefined && described.tear) {
      described.tear(fault.tear)
      if (step && steps) step.doneAt = steps.length
    } else if (step) step.failed = true
    return { error: errorFor(fault, call, described.path), done: () => {}, failed: () => {} }
  }
  return {
    error: null,
    done(result: unknown) {
      described.took?.(result)
      described.opened?.(result as number | FileHandle)
      if (step && steps) step.doneAt = steps.length
    },
    failed() {
      if (step) step.failed = true
    },
  }
}

type AnyFunction = (this: unknown, ...args: unknown[]) => unknown

function promised(
  call: string,
  describe: (self: unknown, args: Arguments) => Description | null,
  original: AnyFunction,
): AnyFunction {
  return async function (this: unknown, ...args) {
    const described = session && describe(this, args)
    if (!described) return original.apply(this, args)
    const moments = around(call, described)
    if (moments.error) throw moments.error
    try {
      const result = await original.apply(this, args)
      moments.done(result)
      return result
    } catch (error) {
      moments.failed()
      throw error
    }
  }
}

function synchronous(call: string, describe: Describe, original: AnyFunction): AnyFunction {
  return (...args) => {
    const described = session && describe(args)
    if (!described) return original(...args)
    const moments = around(call, described)
    if (moments.error) throw moments.error
    try {
      const result = original(...args)
      moments.done(result)
      return result
    } catch (error) {
      moments.failed()
      throw error
    }
  }
}

function calledBack(call: string, describe: Describe, original: AnyFunction): AnyFunction {
  return (...args) => {
    const callback = args.at(-1)
    const described = session && typeof callback === 'function' && describe(args.slice(0, -1))
    if (!described) return original(...args)
    const moments = around(call, described)
    const answer = callback as AnyFunction
    if (moments.error) return void process.nextTick(answer, moments.error)
    const finish: AnyFunction = (error, ...results) => {
      if (error) moments.failed()
      else moments.done(results[0])
      answer(error, ...results)
    }
    return original(...args.slice(0, -1), finish)
  }
}

/** Keeps what hangs on a function, such as how `promisify` treats it. */
function like(original: AnyFunction, patched: AnyFunction): AnyFunction {
  for (const key of Reflect.ownKeys(original)) {
    if (key === 'length' || key === 'name' || key === 'prototype') continue
    Object.defineProperty(patched, key, Object.getOwnPropertyDescriptor(original, key) ?? {})
  }
  return patched
}

function patchPaths(): void {
  for (const [call, describe] of Object.entries(byPath)) {
    patch(fs, call, (original) => calledBack(call, describe, original))
    patch(fs, `${call}Sync`, (original) => synchronous(call, describe, original))
    patch(fsPromises, call, (original) => promised(call, (_, args) => describe(args), original))
  }
}

async function patchHandles(): Promise<void> {
  for (const [call, describe] of Object.entries(byHandle)) {
    const onFd: Describe = ([fd, ...rest]) => describe(fd as number, rest)
    patch(fs, call, (original) => calledBack(call, onFd, original))
    patch(fs, `${call}Sync`, (original) => synchronous(call, onFd, original))
  }
  const handle = await realPromises.open(process.execPath, 'r')
  const prototype = Object.getPrototypeOf(handle) as Record<string, AnyFunction>
  await handle.close()
  const methods = {
    read: 'read',
    write: 'write',
    writev: 'writev',
    sync: 'fsync',
    datasync: 'fdatasync',
    truncate: 'ftruncate',
  }
  for (const [method, call] of Object.entries(methods)) {
    const describe = byHandle[call]
    if (!describe) throw new Error(`no description of ${call}`)
    patch(prototype, method, (original) =>
      promised(method, (self, args) => describe((self as FileHandle).fd, args), original),
    )
  }
  // A number that is given out again must not be taken for the file it stood for before.
  for (const call of ['close', 'closeSync'])
    patch(fs, call, (original) => (fd, ...rest) => {
      session?.handles.delete(fd as number)
      return original(fd, ...rest)
    })
  prototype.writeFile = function (this: unknown, data, options) {
    return writeWhole(this as FileHandle, data, options)
  }
  prototype.appendFile = prototype.writeFile
}

function patch(target: object, name: string, wrap: (original: AnyFunction) => AnyFunction): void {
  const holder = target as Record<string, AnyFunction | undefined>
  const original = holder[name]
  if (original) holder[name] = like(original, wrap(original))
}

/**
 * Some functions do their work inside of Node, past everything patched above: they are made anew from
 * what is patched, or refused where nobody needs them.
 */
function patchWholes(): void {
  const promises = fsPromises as unknown as Record<string, AnyFunction>
  const callbacks = fs as unknown as Record<string, AnyFunction>
  const remake = (name: string, make: AnyFunction) => {
    const original = promises[name] as AnyFunction
    promises[name] = (...args) =>
      inside(args[0]) === null && inside(args[1]) === null ? original(...args) : make(...args)
    const withCallback = callbacks[name] as AnyFunction
    callbacks[name] = (...args) => {
      if (inside(args[0]) === null && inside(args[1]) === null) return withCallback(...args)
      const answer = args.at(-1) as AnyFunction
      void (make(...args.slice(0, -1)) as Promise<unknown>).then(
        (result) => answer(null, result),
        (error) => answer(error),
      )
    }
    const sync = callbacks[`${name}Sync`] as AnyFunction
    callbacks[`${name}Sync`] = (...args) => {
      if (inside(args[0]) === null && inside(args[1]) === null) return sync(...args)
      throw new Error(`${name}Sync can't be recorded: use a call that can`)
    }
  }
  remake('writeFile', (file, data, options) => writeTo(String(file), 'w', data, options))
  remake('appendFile', (file, data, options) => writeTo(String(file), 'a', data, options))
  remake('rm', (target, options) => removeTree(String(target), (options ?? {}) as fs.RmOptions))
  remake('mkdir', makePatchedMkdir(promises.mkdir as AnyFunction))
  for (const name of ['cp', 'copyFile', 'truncate'])
    remake(name, async () => {
      throw new Error(`${name} can't be recorded: use a call that can`)
    })
}

async function writeTo(file: string, flag: string, data: unknown, options: unknown) {
  const named = (typeof options === 'object' ? options : null) as {
    flag?: string
    mode?: number
  } | null
  const handle = await fsPromises.open(file, named?.flag ?? flag, named?.mode ?? 0o666)
  try {
    await writeWhole(handle, data, options)
  } finally {
    await handle.close()
  }
}

async function writeWhole(handle: FileHandle, data: unknown, options: unknown): Promise<void> {
  const encoding =
    typeof options === 'string' ? options : (options as { encoding?: string })?.encoding
  const bytes =
    typeof data === 'string'
      ? Buffer.from(data, (encoding ?? 'utf8') as BufferEncoding)
      : bytesOf([data])
  for (let done = 0; done < bytes.length; )
    done += (await handle.write(bytes, done, bytes.length - done)).bytesWritten
  if ((options as { flush?: boolean })?.flush) await handle.sync()
}

async function removeTree(target: string, options: fs.RmOptions): Promise<void> {
  try {
    const status = await fsPromises.lstat(target)
    if (!status.isDirectory()) return await fsPromises.unlink(target)
    if (!options.recursive) throw Object.assign(new Error(`EISDIR: ${target}`), { code: 'EISDIR' })
    for (const name of await fsPromises.readdir(target))
      await removeTree(path.join(target, name), options)
    await fsPromises.rmdir(target)
  } catch (error) {
    if (!options.force || (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
  }
}

/** `recursive` one directory at a time. */
function makePatchedMkdir(single: AnyFunction): AnyFunction {
  return async (directory, options) => {
    const { recursive, ...rest } = (
      typeof options === 'object' && options ? options : { mode: options }
    ) as fs.MakeDirectoryOptions
    if (!recursive) return single(directory, options)
    const missing: string[] = []
    for (let at = path.resolve(String(directory)); !real.existsSync(at); at = path.dirname(at))
      missing.unshift(at)
    for (const one of missing) await single(one, rest)
    return missing[0]
  }
}

patchPaths()
await patchHandles()
patchWholes()
syncBuiltinESMExports()
