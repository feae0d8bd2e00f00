import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { appDir, clientOf, exitOf, expect, firstPage, test } from './app.ts'

test('the command line works while the app runs, and the app is not disturbed', {
  tag: '@soak',
}, async ({ launch, dataDir, environment }) => {
  const app = await launch()
  await firstPage(app)
  const shiplog = (...argv: string[]) =>
    new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
      const command = [join(appDir, 'out', 'main', 'cli.js'), ...argv, '--data-dir', dataDir]
      execFile(process.execPath, command, { env: environment }, (error, stdout, stderr) =>
        resolve({ code: error ? error.code : 0, stdout, stderr }),
      )
    })
  const listed = await shiplog('tasks', 'list', '--json')
  expect(listed).toMatchObject({ code: 0, stdout: '{"tasks":[]}\n', stderr: '' })

  const { host, pid, endpoint } = JSON.parse(await readFile(join(dataDir, 'lease.json'), 'utf8'))
  expect(host).toBe('desktop')
  expect(endpoint).toContain('#token=')
  const served = await shiplog('serve', '--port', '0')
  expect(served).toMatchObject({ code: 6, stdout: '' })
  expect(served.stderr).toContain(`process ${pid} (the desktop app) has the data directory open`)

  const { lease } = await (await clientOf(app)).app.info()
  expect(lease).toMatchObject({ host: 'desktop', pid, endpoint: true })
  const ended = exitOf(app)
  await app.evaluate(({ app: own }) => own.quit())
  expect(await ended).toBe(0)
  expect(existsSync(join(dataDir, 'lease.json'))).toBe(false)
})
