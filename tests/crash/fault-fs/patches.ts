/** Puts what watches in the place of `node:fs`, `fs.promises` and the methods of file handles. */
import fs from 'node:fs'
import fsPromises, { type FileHandle } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import {
  type Arguments,
  byHandle,
  byPath,
  type Describe,
  type Description,
  isMereOpening,
} from './calls.ts'
import { type Attempt, begin, type Fault, session } from './session.ts'
import { type AnyFunction, remakeWholeCalls, writeWhole } from './whole-calls.ts'

/** For the life of the process; nothing is noted unless a recording is under way. */
export async function putInPlace(): Promise<void> {
  patchPaths()
  await patchHandles()
  remakeWholeCalls()
  syncBuiltinESMExports()
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
  const handle = await fsPromises.open(process.execPath, 'r')
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

/** Runs the three moments of a call around it: before, well ended, badly ended. */
function around(call: string, described: Description) {
  const made = attemptAt(call, described)
  const fault = (made && session?.inject?.(made)) ?? null
  const step = described.operation && begin(described.operation)
  const steps = session?.trace.steps
  if (fault) {
    if (fault.tear !== undefined && described.tear) {
      described.tear(fault.tear)
      fault.torn?.()
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
      if (made) session?.ended?.(made)
    },
    failed() {
      if (step) step.failed = true
    },
  }
}

/** Counts the call. */
function attemptAt(call: string, described: Description): Attempt | null {
  if (!session) return null
  session.attempts += 1
  const changes = described.operation !== null && !isMereOpening(described.operation)
  const from = described.operation && 'from' in described.operation && described.operation.from
  return { n: session.attempts, call, path: described.path, from: from || undefined, changes }
}

function errorFor(fault: Fault, call: string, at: string): Error {
  const message = `${fault.code}: injected, ${call} '${at}'`
  return Object.assign(new Error(message), { code: fault.code, syscall: call, path: at })
}
