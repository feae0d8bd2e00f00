/** Adding a project and starting an agent in it, with everything that can be wrong about either. */
import { existsSync } from 'node:fs'
import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Locator, Page } from '@playwright/test'
import { type App, expect, type Host, start, test } from './app.ts'
import { conversation, openAt, row, sidebar, tree } from './places.ts'
import { talkScenario } from './scenarios.ts'

test.describe('Add a project', () => {
  test('each folder that can’t be used gets its own message, and nothing is added; others are added', async ({
    app,
    page,
  }) => {
    const bare = path.join(app.dir, 'bare.git')
    await app.git(app.dir, 'init', '-q', '--bare', bare)
    const empty = path.join(app.dir, 'no commits')
    await mkdir(empty)
    await app.git(empty, 'init', '-q')
    const file = await app.file('a-file.txt', 'text')
    const missing = path.join(app.dir, 'missing')

    const host = await app.serve()
    await openAt(page, host)
    await page.getByRole('button', { name: 'Add a project…' }).click()
    const dialog = page.getByRole('dialog', { name: 'Add a project' })
    const folder = dialog.getByRole('textbox', { name: 'Folder' })
    for (const [dir, message] of [
      [missing, `${missing} does not exist. Give the path of a folder.`],
      [file, `${file} is not a folder. Give the folder that holds the project.`],
      [bare, `${bare} is a bare repository: it has no files to work on. Clone it`],
      [empty, `${empty} is a Git repository without a commit`],
    ] as const) {
      await folder.fill(dir)
      await folder.press('Enter')
      await expect(dialog.getByText(message)).toBeVisible()
      await expect(folder).toHaveAttribute('aria-invalid', 'true')
    }
    await dialog.getByRole('button', { name: 'Cancel' }).click()
    await expect(tree(page).getByRole('treeitem')).toHaveCount(0)
    expect((await host.client.projects.list()).projects).toEqual([])

    await test.step('a folder with spaces and letters of other alphabets is added, and one without Git says so', async () => {
      const repository = await app.repository('Größe und Maß 測定')
      const plain = path.join(app.dir, 'only files')
      await mkdir(plain)
      await addProject(page, page.getByRole('button', { name: 'Add a project…' }), repository)
      await expect(page.getByRole('heading', { name: 'Größe und Maß 測定' })).toBeVisible()
      await expect(page.getByText('not a Git repository')).toBeHidden()

      await addProject(page, sidebar(page).getByRole('button', { name: 'Add a project' }), plain)
      await expect(page.getByText('This folder is not a Git repository')).toBeVisible()
      await expect(tree(page).getByRole('treeitem')).toHaveCount(2)
    })
  })
})

test.describe('New agent', () => {
  test('asks for a prompt and a scenario file, refuses an invalid or too large one, and starts the agent', async ({
    app,
    page,
  }) => {
    const host = await app.serve()
    const repository = await app.repository('parser')
    const project = await host.client.projects.add({ dir: repository })
    await openAt(page, host, `/p/${project.id}`)
    await page.getByRole('button', { name: 'New agent…' }).click()
    const dialog = page.getByRole('dialog', { name: 'New agent' })
    const startButton = dialog.getByRole('button', { name: 'Start', exact: true })
    await expect(startButton).toBeDisabled()
    await expect(startButton).toHaveAccessibleDescription('Needs a prompt and a scenario file.')
    await dialog.getByRole('textbox', { name: 'Prompt' }).fill('Mend the parser')
    await expect(dialog.getByText('Needs a scenario file.')).toBeVisible()

    await test.step('an invalid one: shows file, line and key, and creates nothing', async () => {
      const broken = await app.file('broken.yaml', talkScenario.replace('say:', 'shout:'))
      await choose(page, dialog, broken)
      await expect(dialog.getByText(/^Needs /)).toBeHidden()
      await startButton.click()
      await expect(dialog.getByText(/broken\.yaml:6.*shout/)).toBeVisible()
      expect((await host.client.tasks.list({ all: true })).tasks).toEqual([])
      expect(await app.git(repository, 'worktree', 'list')).not.toContain('\n')
    })
    // What is cut off would be missed: the turn that speaks is the last line.
    const padding = `# ${'x'.repeat(98)}\n`.repeat(10_300)
    const whole = talkScenario.replace('agents:', `${padding}agents:`)
    await test.step('one that is too large', async () => {
      const tooLarge = whole.replace('agents:', `${padding}agents:`)
      await choose(page, dialog, await app.file('large.yaml', tooLarge))
      await expect(
        dialog.getByText(
          /^large\.yaml is too large: 2\.\d+ MB\. A scenario has at most 1\.05 MB\.$/,
        ),
      ).toBeVisible()
      await expect(startButton).toBeDisabled()
    })
    await test.step('the same dialog continues with one as large as it may be, which is taken whole', async () => {
      await choose(page, dialog, await app.file('whole.yaml', whole))
      await expect(dialog.getByText(/^large\.yaml is too large/)).toBeHidden()
      await expect(dialog.getByText('whole.yaml · ')).toBeVisible()
      await startButton.click()
      await expect(conversation(page).getByRole('heading', { level: 1 })).toHaveText(
        'Mend the parser',
      )
      await expect(conversation(page).getByText('You said: Mend the parser.')).toBeVisible()
      await expect(
        row(page, 'Mend the parser').getByRole('img', { name: 'Completed' }),
      ).toBeVisible()
    })
  })

  test('in a folder without Git the agent works in place, and says so', { tag: '@soak' }, async ({
    app,
    page,
  }) => {
    const plain = path.join(app.dir, 'only files')
    await mkdir(plain)
    const host = await app.serve()
    const project = await host.client.projects.add({ dir: plain })
    await openAt(page, host, `/p/${project.id}`)
    const dialog = await fillNewAgent(page, 'Hello', await app.file('write.yaml', writeScenario))
    await expect(dialog.getByText('Without Git, agents edit the folder directly.')).toBeVisible()
    await dialog.getByRole('button', { name: 'Start' }).click()
    await expect(row(page, 'Hello').getByRole('img', { name: 'Completed' })).toBeVisible()
    expect(await readFile(path.join(plain, 'written.txt'), 'utf8')).toBe('in place\n')
    await conversation(page).getByRole('button', { name: 'Changes and state' }).click()
    await expect(page.getByText(/^This project is not a Git repository/)).toBeVisible()
  })

  test('what was pressed before a set-up command could be allowed does not allow it', async ({
    app,
    page,
  }) => {
    const { host, scenario, projectId } = await projectWithSetup(app)
    await openAt(page, host, `/p/${projectId}`)
    const dialog = await fillNewAgent(page, 'First', scenario)
    const prompt = dialog.getByRole('textbox', { name: 'Prompt' })
    const start = dialog.getByRole('button', { name: 'Allow and start' })
    await expect(start).toBeEnabled()
    /** As if the last thing that it waited for came while a button or key is held. */
    const fillWithoutKeys = () =>
      prompt.evaluate((field: HTMLElement) => {
        field.focus()
        field.ownerDocument.execCommand('insertText', false, 'First')
      })

    await test.step('a held button of the mouse', async () => {
      await prompt.fill('')
      await expect(start).toBeDisabled()
      await start.hover({ force: true })
      await page.mouse.down()
      await fillWithoutKeys()
      await expect(start).toBeEnabled()
      await page.mouse.up()
    })
    await test.step('a held key', async () => {
      await prompt.fill('')
      await page.keyboard.down('Control')
      await page.keyboard.down('Enter')
      await fillWithoutKeys()
      await expect(start).toBeEnabled()
      // The same key again, without having been up.
      await page.keyboard.down('Enter')
      await page.keyboard.up('Enter')
      await page.keyboard.up('Control')
    })
    await expect(start).toBeEnabled()
    expect((await host.client.tasks.list({ all: true })).tasks).toEqual([])

    await start.click()
    await expect(conversation(page).getByText('You said: First.')).toBeVisible()
  })

  test('a repository’s set-up command is shown for permission once, and again after a change', async ({
    app,
    page,
  }) => {
    const { host, repository, scenario, projectId } = await projectWithSetup(app)
    await openAt(page, host, `/p/${projectId}`)

    await test.step('it is shown before anything runs', async () => {
      const dialog = await fillNewAgent(page, 'First', scenario)
      await expect(dialog.getByRole('region', { name: 'Set-up command' })).toContainText(
        'echo one > made-by-setup',
      )
      await expect(dialog.getByText('a copy of .env')).toBeVisible()
      // In a small window the form scrolls; what is allowed does not scroll away.
      await page.setViewportSize({ width: 800, height: 600 })
      await expect(dialog.getByText('echo one > made-by-setup')).toBeInViewport()
      // The dialog takes the height that there is: the field that has to be filled in is in view.
      await expect(dialog.getByRole('button', { name: 'Choose another…' })).toBeInViewport({
        ratio: 1,
      })
      await page.setViewportSize({ width: 1280, height: 800 })
      await dialog.getByRole('button', { name: 'Allow and start' }).click()
      await expect(conversation(page).getByText('You said: First.')).toBeVisible()
    })

    await test.step('the worktree has what it made and what was to be copied', async () => {
      const [root] = (await host.client.tasks.list({ all: true })).tasks
      const dir = root?.workspace?.path ?? ''
      expect(await readFile(path.join(dir, 'made-by-setup'), 'utf8')).toBe('one\n')
      expect(await readFile(path.join(dir, '.env'), 'utf8')).toBe('SECRET=1\n')
    })

    await test.step('it is not asked for a second time', async () => {
      const dialog = await fillNewAgent(page, 'Second', scenario)
      await expect(dialog.getByRole('button', { name: 'Start', exact: true })).toBeEnabled()
      await expect(dialog.getByRole('region', { name: 'Set-up command' })).toBeHidden()
      await dialog.getByRole('button', { name: 'Start', exact: true }).click()
      await expect(conversation(page).getByText('You said: Second.')).toBeVisible()
    })

    await test.step('asks again after it changed, and starts nothing without permission', async () => {
      await writeFile(
        path.join(repository, '.shiplog', 'project.yaml'),
        'setup: echo two > other\n',
      )
      const dialog = await fillNewAgent(page, 'Third', scenario)
      await expect(dialog.getByRole('region', { name: 'Set-up command' })).toContainText('echo two')
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await expect(start(host, { id: projectId } as never, talkScenario)).rejects.toThrow(/allowed/)
      expect(existsSync(path.join(repository, 'other'))).toBe(false)
    })
  })
})

test('[K2] the settings of a project: variables are saved by name, and .planning is made at once; [S1] a link with the first characters of its id leads to it', {
  tag: '@soak',
}, async ({ app, page }) => {
  const host = await app.serve()
  const repository = await app.repository('parser')
  const project = await host.client.projects.add({ dir: repository })
  const set = async () =>
    (await host.client.projects.list()).projects.find(({ id }) => id === project.id)?.environment
  await openAt(page, host, `/p/${project.id}`)
  await page.getByRole('button', { name: 'Settings…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Settings of parser' })
  await expect(dialog.getByRole('radio', { name: /^Everything except secrets/ })).toBeFocused()

  await test.step('.planning is offered, made, and then named as the place', async () => {
    await dialog.getByRole('button', { name: 'Create .planning' }).click()
    await expect(dialog.getByText(/where planning tools read it/)).toBeVisible()
    expect(existsSync(path.join(repository, '.planning'))).toBe(true)
  })
  await test.step('a value in place of a name is refused, a name is saved', async () => {
    const secrets = dialog.getByRole('textbox', { name: 'Secrets to pass on' })
    await secrets.fill('NPM_TOKEN=abc')
    await expect(dialog.getByText('NPM_TOKEN=abc: give the name only')).toBeVisible()
    await expect(dialog.getByRole('button', { name: 'Save' })).toBeDisabled()
    await secrets.fill('NPM_TOKEN')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(dialog).toBeHidden()
    expect(await set()).toEqual({ allowed: ['NPM_TOKEN'], only: null })
  })
  await test.step('the settings of the app list it and lead to the same dialog', async () => {
    await sidebar(page).getByRole('link', { name: 'Settings' }).click()
    await expect(
      page.getByText('Agents get: everything except secrets, and NPM_TOKEN'),
    ).toBeVisible()
    await page.getByRole('button', { name: 'Change the settings of parser' }).click()
    await dialog.getByRole('radio', { name: /^Only the ones listed/ }).check()
    await dialog.getByRole('textbox', { name: 'Variables to pass on' }).fill('JAVA_HOME CI')
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText(/Agents get: only JAVA_HOME, CI and what/)).toBeVisible()
    expect(await set()).toEqual({ allowed: [], only: ['JAVA_HOME', 'CI'] })
  })
  await test.step('a link with the first characters of its id leads to it; one that names nothing says so', async () => {
    await page.goto('about:blank')
    await openAt(page, host, `/p/${project.id.slice(0, 8)}`)
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('parser')
    await page.goto('about:blank')
    await openAt(page, host, '/p/00000000')
    await expect(page.getByText('No project 00000000 in this data directory.')).toBeVisible()
    await expect(page.getByRole('heading', { level: 1 })).toHaveText('No such project')
  })
})

test('a moved project continues in its new place with one notice, and a second clone is kept apart', {
  tag: '@soak',
}, async ({ app, page }) => {
  const host = await app.serve()
  const repository = await app.repository('parser')
  const project = await host.client.projects.add({ dir: repository })
  const environment = { allowed: ['NPM_TOKEN'], only: null }
  await host.client.projects.setEnvironment({ projectId: project.id, environment })
  const { taskId } = await start(host, project, talkScenario)
  await openAt(page, host, `/p/${project.id}`)
  const add = sidebar(page).getByRole('button', { name: 'Add a project' })

  await test.step('lists distinguish it from another clone by its folder', async () => {
    await cp(repository, path.join(app.dir, 'other', 'parser'), { recursive: true })
    await addProject(page, add, path.join(app.dir, 'other', 'parser'))
    await expect(row(page, 'parser (other)')).toBeVisible()
    await expect(row(page, `parser (${path.basename(app.dir)})`)).toBeVisible()
    await rm(path.join(app.dir, 'other'), { recursive: true })
  })
  const moved = path.join(app.dir, 'moved', 'lexer')
  const notice = page.getByText(`parser moved from ${repository} to ${moved}.`)
  await test.step('the window says that it moved, and what was revoked', async () => {
    await mkdir(path.dirname(moved))
    await rename(repository, moved)
    await addProject(page, add, moved)
    await expect(page.getByRole('heading', { name: 'lexer' })).toBeVisible()
    await expect(notice).toHaveCount(1)
    await expect(page.getByText(/agents no longer get NPM_TOKEN\.$/)).toBeVisible()
    expect((await host.client.projects.list()).projects.find(({ dir }) => dir === moved)?.id).toBe(
      project.id,
    )
    await row(page, 'Do it').click()
    await expect(page).toHaveURL(new RegExp(taskId))
  })
  await test.step('a notice that was read does not return', async () => {
    await page.getByRole('button', { name: 'Dismiss' }).click()
    await expect(notice).toBeHidden()
    await page.reload()
    await expect(row(page, 'lexer')).toBeVisible()
    await expect(notice).toBeHidden()
  })
  await test.step('the variables are passed on again when the user says so', async () => {
    await row(page, 'lexer').click()
    await page.getByRole('main').getByRole('button', { name: 'Settings…' }).last().click()
    const dialog = page.getByRole('dialog', { name: 'Settings of lexer' })
    await dialog.getByRole('button', { name: 'Pass them on again' }).click()
    await expect(dialog.getByRole('textbox', { name: 'Secrets to pass on' })).toHaveValue(
      'NPM_TOKEN',
    )
    await dialog.getByRole('button', { name: 'Save' }).click()
    await expect(page.getByText(/agents no longer get/)).toBeHidden()
    const { projects } = await host.client.projects.list()
    expect(projects.find(({ id }) => id === project.id)).toMatchObject({ environment })
  })
})

test('a project is removed from its menu, after its workspaces, and its folder and archive stay', {
  tag: '@soak',
}, async ({ app, page }) => {
  const host = await app.serve()
  const repository = await app.repository('parser')
  const project = await host.client.projects.add({ dir: repository })
  const { taskId } = await start(host, project, talkScenario)
  await openAt(page, host, `/p/${project.id}`)
  const dialog = page.getByRole('dialog', { name: 'Remove parser' })
  const ask = async () => {
    await row(page, 'parser').click({ button: 'right' })
    await page.getByRole('menuitem', { name: 'Remove project…' }).click()
  }
  await ask()
  await expect(dialog.getByText('1 workspace is in use.')).toBeVisible()
  await expect(dialog.getByRole('button', { name: 'Remove project' })).toBeDisabled()
  await dialog.getByRole('button', { name: 'Cancel' }).click()

  await host.client.workspace.remove({ workspaceId: taskId })
  await ask()
  await expect(dialog.getByText(/forgets its settings/)).toBeVisible()
  await expect(dialog.getByText(repository)).toBeVisible()
  await dialog.getByRole('button', { name: 'Remove project' }).click()
  await expect(dialog).toBeHidden()
  await expect(tree(page).getByRole('treeitem')).toHaveCount(0)
  expect((await host.client.projects.list()).projects).toEqual([])
  expect(existsSync(path.join(repository, '.git'))).toBe(true)
  const { transcripts } = await host.client.workspace.listTranscripts({})
  expect(transcripts.map((one) => one.taskId)).toEqual([taskId])
})

async function projectWithSetup(app: App): Promise<{
  host: Host
  repository: string
  scenario: string
  projectId: string
}> {
  const repository = await app.repository('parser', {
    'README.md': '# Hello\n',
    '.gitignore': '.env\n',
    '.shiplog/project.yaml': 'setup: echo one > made-by-setup\ncopy: [.env]\n',
  })
  await writeFile(path.join(repository, '.env'), 'SECRET=1\n')
  const host = await app.serve()
  const { id } = await host.client.projects.add({ dir: repository })
  return { host, repository, scenario: await app.file('talk.yaml', talkScenario), projectId: id }
}

async function addProject(page: Page, button: Locator, dir: string): Promise<void> {
  await button.click()
  const dialog = page.getByRole('dialog', { name: 'Add a project' })
  await dialog.getByRole('textbox', { name: 'Folder' }).fill(dir)
  await dialog.getByRole('button', { name: 'Add project' }).click()
  await expect(dialog).toBeHidden()
}

async function fillNewAgent(page: Page, prompt: string, scenario: string): Promise<Locator> {
  await sidebar(page).getByRole('button', { name: 'New agent' }).click()
  const dialog = page.getByRole('dialog', { name: 'New agent' })
  await dialog.getByRole('textbox', { name: 'Prompt' }).fill(prompt)
  await choose(page, dialog, scenario)
  return dialog
}

async function choose(page: Page, dialog: Locator, file: string): Promise<void> {
  const chooser = page.waitForEvent('filechooser')
  await dialog.getByRole('button', { name: /^Choose (a file|another)…$/ }).click()
  await (await chooser).setFiles(file)
}

const writeScenario = `version: 1
name: write
agents:
  lead:
    turns:
      - call: write_file
        with: { path: written.txt, content: "in place\\n" }
`
