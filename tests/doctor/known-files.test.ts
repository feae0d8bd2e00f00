/** Every file of a data directory's own is known to the doctor: a new one can't be forgotten. */
import { existsSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { openShiplog } from '../../src/main/composition/shiplog.ts'
import { layoutOf } from '../../src/main/sessions/session-files.ts'
import { temporaryDir } from '../harness.ts'

it.skipIf(process.platform === 'win32')(
  'looks at the mode of each file that Shiplog keeps there',
  async () => {
    const dataDir = join(await temporaryDir(), 'data')
    const shiplog = await openShiplog({ dataDir, host: 'cli' })
    onTestFinished(() => shiplog.close())
    const files = Object.values(layoutOf(dataDir)).filter(
      (path): path is string =>
        typeof path === 'string' && dirname(path) === dataDir && /\.(jsonl?|lock)$/.test(path),
    )
    for (const file of files) {
      if (!existsSync(file)) await writeFile(file, '{}')
      await chmod(file, 0o644)
    }
    const { problems } = await shiplog.client.doctor.check({ repair: false })
    const found = problems.flatMap(({ kind, path }) => (kind === 'file-mode' ? [path] : []))
    expect(found.sort()).toEqual(files.map((file) => relative(dataDir, file)).sort())
  },
)
