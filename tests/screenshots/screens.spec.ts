/**
 * Makes docs/images again: every screen, wide and narrow, light and dark. `npm run screenshots`.
 * What is shown is real: the demo, played by the built app. So ids and times of day differ from run to
 * run; ages do not, for the page's clock stands still two minutes after the demo ended.
 */
import { appendFile, mkdir } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Page } from '@playwright/test'
import { expect, flatten, type Host, test } from '../app/app.ts'
import {
  archiveList,
  card,
  conversation,
  inspector,
  openAt,
  row,
  transcript,
} from '../app/places.ts'
import { talkScenario } from '../app/scenarios.ts'
import { startFakeModels } from '../fake-models/fake-models.ts'
import { call, say, think } from '../fake-models/script.ts'

const folder = fileURLToPath(new URL('../../docs/images/', import.meta.url))

const sizes = [
  { width: 1280, height: 800 },
  { width: 800, height: 600 },
]
const themes = ['light', 'dark'] as const

/** "2m ago", and well within it. */
const pictureTakenAfterMs = 150_000

test.use({ locale: 'en-GB', timezoneId: 'UTC' })
test.beforeAll(() => mkdir(folder, { recursive: true }))

test('the empty first screen', async ({ app, page }) => {
  await openAt(page, await app.serve())
  await expect(page.getByRole('button', { name: 'Try the demo' })).toBeVisible()
  await take(page, 'home')
})

test('the demo, at work and afterwards', async ({ app, page }) => {
  const host = await app.serve()
  const { taskId } = await host.client.projects.startDemo({})
  const talk = conversation(page)

  await openAt(page, host, `/t/${taskId}`)
  await expect(talk.getByRole('article', { name: /^Task: / })).toHaveCount(2)
  await take(page, 'running')

  const { endedAt, tasks } = await untilEnded(host)
  const title = (agent: string) => tasks.find((task) => task.agent === agent)?.title ?? agent
  const id = (agent: string) => tasks.find((task) => task.agent === agent)?.id ?? agent
  await page.clock.setFixedTime(endedAt + pictureTakenAfterMs)
  /** A new address is only read by a page that is loaded again. */
  const show = async (at: string) => {
    await page.goto('about:blank')
    await openAt(page, host, at)
  }

  await show('/')
  await expect(page.getByRole('region', { name: /^(Recent|Waiting for you)/ })).toBeVisible()
  await expect(page.getByRole('button', { name: 'Set up a model…' })).toBeVisible()
  await take(page, 'overview')

  await show(`/t/${taskId}`)
  await take(page, 'conversation', async () => {
    // The list may put a row in its place while it scrolls there.
    await expect(() => card(talk, title('fixer')).scrollIntoViewIfNeeded()).toPass()
    // Coloured by a worker, in its own time.
    await expect(card(talk, title('fixer')).locator('code span[style]').first()).toBeVisible()
    await talk.getByRole('region', { name: /^Transcript of / }).evaluate((list) => {
      list.scrollBy(0, 96)
    })
  })

  await take(page, 'changes', async () => {
    await show(`/t/${taskId}`)
    if (await inspector(page).isHidden())
      await talk.getByRole('button', { name: 'Changes and state' }).click()
    const file = inspector(page).getByRole('button', { name: /src\/parse-line\.js/ })
    await file.click()
    await expect(inspector(page).getByText('fieldPattern').first()).toBeVisible()
    await expect(inspector(page).locator('.diff span[style]').first()).toBeVisible()
  })
  // Beside a wide conversation it stays open for good.
  await expect(inspector(page)).toBeVisible()
  await inspector(page).getByRole('button', { name: 'Close' }).click()

  await card(talk, title('fixer'))
    .getByRole('button', { name: `View transcript of ${title('fixer')}` })
    .click()
  await expect(
    transcript(page, title('fixer')).getByText('First, the current failures'),
  ).toBeVisible()
  await take(page, 'transcript')

  await show(`/archive/${id('tester')}/report`)
  await expect(archiveList(page).getByRole('treeitem')).toHaveCount(tasks.length)
  await expect(page.getByRole('table')).toBeVisible()
  await take(page, 'archive')

  await show(`/t/${taskId}/review`)
  await expect(page.getByRole('figure', { name: 'Changes of docs/FORMAT.md' })).toBeVisible()
  await expect(page.locator('.diff span[style]').first()).toBeVisible()
  await take(page, 'review')

  await show('/search?q=parser')
  await expect(page.getByRole('button', { name: /^Report.*parser/ }).first()).toBeVisible()
  await take(page, 'search')

  await show('/settings')
  await expect(page.getByRole('heading', { name: 'Data directory' })).toBeVisible()
  // They are looked for on the machine.
  await expect(page.getByRole('button', { name: /^Fetch/ }).first()).toBeVisible()
  await take(page, 'settings')

  await show(`/t/${taskId}`)
  await expect(talk.getByRole('feed')).toBeVisible()
  await page.keyboard.press('Control+k')
  await expect(page.getByRole('dialog', { name: 'Commands and agents' })).toBeVisible()
  await take(page, 'palette')
  await page.keyboard.press('Escape')

  await page.keyboard.press('n')
  const dialog = page.getByRole('dialog', { name: 'New agent' })
  await dialog.getByRole('textbox', { name: 'Prompt' }).fill('Read times without a zone as UTC.')
  const chooser = page.waitForEvent('filechooser')
  await dialog.getByRole('button', { name: 'Choose a file…' }).click()
  await (await chooser).setFiles(await app.file('read-times.yaml', talkScenario))
  await expect(dialog.getByText('read-times.yaml')).toBeVisible()
  await take(page, 'new-agent')
})

test('what a killed host left, and the question before it continues', async ({ app, page }) => {
  const first = await app.serve()
  const { taskId } = await first.client.projects.startDemo({})
  const edited = 'src/read-log.js'
  const lead = async (host: Host) => {
    const { tasks } = await host.client.tasks.list({ all: true })
    return tasks.find(({ id }) => id === taskId)
  }
  await expect
    .poll(async () => {
      const { entries } = await first.client.workspace.getSubagentTranscript({ taskId })
      return entries.some((entry) => entry.type === 'tool-call' && entry.name === 'task_await')
    })
    .toBe(true)
  await first.kill()

  const host = await app.serve()
  const { workspace, endedAt } = (await lead(host)) ?? {}
  await appendFile(path.join(workspace?.path ?? '', edited), '\n// Unlike levels.\n')
  await page.clock.setFixedTime(Date.parse(endedAt ?? '') + pictureTakenAfterMs)
  await openAt(page, host, `/t/${taskId}`)
  const title = (await lead(host))?.title ?? ''
  await take(page, 'interrupted', async () => {
    await expect(conversation(page).getByText(/^Run 1 was interrupted/)).toBeVisible()
    await expect(page.getByRole('button', { name: 'Jump to latest' })).toBeHidden()
  })
  const dialog = page.getByRole('dialog', { name: `Resume “${title}”` })
  await row(page, title).focus()
  await page.keyboard.press('r')
  await expect(dialog.getByRole('row', { name: new RegExp(edited) })).toBeVisible()
  await take(page, 'resume')
})

test('a model that asks before it runs a command', async ({ app, page }) => {
  const fake = await startFakeModels({
    script: {
      'Rename the flag': [
        [
          think('First find who uses it.'),
          say('I look where `--verbose` is used.'),
          call('update_plan', {
            items: [
              { text: 'Find the uses of --verbose', status: 'completed' },
              { text: 'Rename it to --detailed', status: 'in-progress' },
              { text: 'Run the tests', status: 'pending' },
            ],
          }),
          call('search_files', { pattern: 'verbose' }),
        ],
        [
          say('The parser is the only place. I run its tests before I change it.'),
          call('bash', { command: 'npm test -- --run src/parser.test.ts' }),
        ],
      ],
    },
  })
  try {
    const host = await app.serve()
    const provider = { name: 'studio', kind: 'openai-compatible' as const }
    const { baseURLs, key } = fake
    await host.client.models.saveProvider({ ...provider, baseUrl: baseURLs.chat, key })
    const dir = await app.repository('parser', {
      'src/parser.ts': "export const isVerbose = (argv: string[]) => argv.includes('--verbose')\n",
    })
    const { id: projectId } = await host.client.projects.add({ dir })
    await openAt(page, host, '/settings')
    await expect(page.getByText('Key in a file only you can read')).toBeVisible()
    await take(page, 'models')
    const { taskId } = await host.client.tasks.start({
      projectId,
      agent: { kind: 'model', model: 'studio/qwen3-coder' },
      prompt: 'Rename the flag --verbose to --detailed, everywhere.',
    })
    await openAt(page, host, `/t/${taskId}`)
    // A request takes no answer until it has been at rest for a moment.
    const allow = page.getByRole('button', { name: 'Allow once' })
    await take(page, 'permission', () => expect(allow).not.toHaveAttribute('aria-disabled'))
  } finally {
    await fake.stop()
  }
})

/** One picture for each size and theme. `before`: what a new size undoes. */
async function take(page: Page, name: string, before?: () => Promise<void>): Promise<void> {
  for (const { width, height } of sizes) {
    await page.setViewportSize({ width, height })
    await before?.()
    for (const theme of themes) {
      await page.emulateMedia({ colorScheme: theme, reducedMotion: 'reduce' })
      // Where nothing answers to it.
      await page.mouse.move(width - 1, 1)
      await page.screenshot({
        path: path.join(folder, `${name}-${width}-${theme}.png`),
        animations: 'disabled',
        caret: 'hide',
      })
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 })
}

async function untilEnded(host: Host) {
  const all = async () => flatten((await host.client.tasks.list({ all: true })).tasks)
  const open = async () =>
    (await all()).filter(({ endedAt, parentId, archived }) => !endedAt || (parentId && !archived))
  await expect.poll(open, { timeout: 90_000 }).toEqual([])
  const tasks = await all()
  return { tasks, endedAt: Math.max(...tasks.map((task) => Date.parse(task.endedAt ?? ''))) }
}
