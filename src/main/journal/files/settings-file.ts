import { basename } from 'node:path'
import { z } from 'zod'
import { createKeyedMutex } from '../../../shared/async/keyed-mutex.ts'
import { exists, readJsonFile, writeFileDurable } from './durable-files.ts'
import { setAside } from './set-aside.ts'

const fileVersion = 1

/** A user's settings in one JSON file of the data directory: `{"version": 1, …content}`. */
interface SettingsFile<Content> {
  current(): Content
  /**
   * Replaces the content by the result of `change`. Durable when it resolves; the content is unchanged if it rejects.
   * Calls are serialized.
   */
  change(change: (now: Content) => Content | Promise<Content>): Promise<void>
  /**
   * Returns sentences for the user that explain why the file was not used, and where it is kept. Null if it was used,
   * or saved since.
   */
  lost(): string | null
}

/**
 * Opens the file at the absolute `path`. `initial` is the content of a missing or unusable file. A damaged file is
 * kept as `<name>.damaged-<n>`; one of a newer version stays in place, and is kept as `<name>.newer-<n>` by the first
 * change.
 */
export async function openSettingsFile<Content extends object>(
  path: string,
  schema: z.ZodType<Content>,
  initial: Content,
): Promise<SettingsFile<Content>> {
  const name = basename(path)
  const file = await readJsonFile(path, versionSchema.transform(withoutVersion).pipe(schema))
  const isDamaged = file.kind === 'damaged'
  let isNewer = isDamaged && (await readJsonFile(path, newerSchema)).kind === 'ok'
  let lost: string | null = null
  if (isNewer)
    lost = `${name} was written by a newer version of Shiplog. It stays in place until these settings are saved.`
  else if (isDamaged) {
    const aside = basename((await setAside(path, 'damaged')) ?? path)
    lost = `${file.reason.replace(path, name)}. ${keptAs(aside)}`
  } else if (file.kind === 'missing' && (await exists(`${path}.damaged-1`)))
    lost = keptAs(`${name}.damaged-1`)

  let content = file.kind === 'ok' ? file.value : initial
  const serially = createKeyedMutex()
  return {
    current: () => content,
    lost: () => lost,
    change: (change) =>
      serially(path, async () => {
        const next = await change(content)
        if (isNewer) await setAside(path, 'newer')
        isNewer = false
        const text = JSON.stringify({ version: fileVersion, ...next }, null, 2)
        await writeFileDurable(path, `${text}\n`)
        content = next
        lost = null
      }),
  }
}

/** A user who writes the file by hand may omit the version. */
const versionSchema = z.looseObject({ version: z.literal(fileVersion).default(fileVersion) })

const newerSchema = z.looseObject({ version: z.number().int().gt(fileVersion) })

const withoutVersion = ({ version: _, ...content }: z.infer<typeof versionSchema>): unknown =>
  content

const keptAs = (name: string) => `The file is kept as ${name} in the data directory.`
