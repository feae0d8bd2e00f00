/**
 * Some functions do their work inside of Node, past everything that is watched: they are rebuilt from
 * what is, or refused where nobody needs them.
 */
import fs from 'node:fs'
import fsPromises, { type FileHandle } from 'node:fs/promises'
import path from 'node:path'
import { bytesOf, real } from './calls.ts'
import { inside } from './session.ts'

export type AnyFunction = (this: unknown, ...args: unknown[]) => unknown
/** Once the calls that they are made of are watched. */
export function remakeWholeCalls(): void {
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
      if (name === 'mkdir' && !isRecursive(args[1])) return sync(...args)
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

const isRecursive = (options: unknown): boolean =>
  (options as fs.MakeDirectoryOptions | undefined)?.recursive === true

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

export async function writeWhole(
  handle: FileHandle,
  data: unknown,
  options: unknown,
): Promise<void> {
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
