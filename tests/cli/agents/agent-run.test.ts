import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { newEntryId, runIdOf } from '../../../src/shared/records/ids.ts'
import { png } from '../../images.ts'
import { jsonLines, runToEnd, startCli } from '../fake-process.ts'
import { createFakeShiplog } from '../fake-shiplog.ts'
import { argvFor, dir, runLead, scenariosInFolder } from './agent-run-stage.ts'

scenariosInFolder()

describe('agent run', () => {
  it('prints the report on standard output and progress on standard error', async () => {
    const { code, stdout, stderr } = await runLead(argvFor('/code/api'))
    expect(code).toBe(0)
    expect(stdout).toBe('# Fixed\n\nAll green.\n')
    expect(stderr).toMatch(/✓ completed\s+Fix it/)
    expect(stderr).toMatch(/✓ cleaned up\s+Add tests/)
    expect(stderr).toMatch(/Fix it\s+│ five/)
    expect(stderr).toContain('shiplog tasks apply')
  })

  it('does not offer to apply the changes of an agent that changed no files', async () => {
    const fake = createFakeShiplog()
    fake.onStart(async (lead) => {
      await Promise.resolve()
      fake.spawn(lead)
      fake.changesNothing(lead)
      fake.report(lead, 'Looked', 'Nothing to do.')
      fake.complete(lead)
    })
    const { code, stderr } = await runToEnd(argvFor('/code/api'), { fake })
    expect(code).toBe(0)
    expect(stderr).toContain('It changed no files.')
    expect(stderr).not.toContain('shiplog tasks apply')
  })

  it('--json: each durable entry of every task once and in order, the result last', async () => {
    const { code, stdout, fake } = await runLead(argvFor('/code/api', '--json'))
    expect(code).toBe(0)
    const events = jsonLines(stdout)
    const result = events.at(-1)
    expect(events.filter((event) => event.type === 'result')).toEqual([result])
    expect(result).toMatchObject({ status: 'completed', report: { title: 'Fixed', run: 1 } })
    for (const taskId of fake.state.tasks.keys()) {
      const printed = events.filter((event) => event.type === 'entry' && event.taskId === taskId)
      expect(printed.map((event) => event.entry)).toEqual(fake.sessionOf(taskId).entries)
    }
    const states = events.flatMap((event) => (event.type === 'task' ? [event.task] : []))
    expect(states).toContainEqual(
      expect.objectContaining({
        id: result?.taskId,
        status: 'completed',
        children: [expect.objectContaining({ title: 'Add tests', children: [] })],
      }),
    )
  })

  it('exits 1 when the agent failed, and says why', async () => {
    const fake = createFakeShiplog()
    fake.onStart(async (lead) => {
      await Promise.resolve()
      fake.spawn(lead)
      fake.fail(lead, 'no parser here')
    })
    const { code, stdout, stderr } = await runToEnd(argvFor('/code/api'), { fake })
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain('no parser here')
  })

  it('waits for a clean-up only if one will follow', async () => {
    const fake = createFakeShiplog()
    fake.onStart(async (lead) => {
      await Promise.resolve()
      fake.spawn(lead)
      const projectId = fake.projectOf(lead)
      const middle = fake.createTask({ projectId, parentId: lead, title: 'Middle' })
      const leaf = fake.createTask({ projectId, parentId: middle, title: 'Leaf' })
      fake.spawn(middle)
      fake.spawn(leaf)
      // What failed stays to be retried, and keeps its parent's workspace.
      fake.fail(leaf, 'out of luck')
      fake.complete(middle)
      fake.complete(lead)
    })
    const { code, stderr } = await runToEnd(argvFor('/code/api'), { fake })
    expect(code).toBe(0)
    expect(stderr).toContain('Leaf')
    expect(stderr).toContain('out of luck')
  })

  it('reports a postponed clean-up', async () => {
    const fake = createFakeShiplog()
    fake.onStart(async (lead) => {
      await Promise.resolve()
      fake.spawn(lead)
      const projectId = fake.projectOf(lead)
      const child = fake.createTask({ projectId, parentId: lead, title: 'Child' })
      fake.spawn(child)
      fake.complete(child)
      fake.complete(lead)
      fake.archive(child, { step: 'worktree-removed', error: 'the worktree is in use' })
    })
    const { code, stderr } = await runToEnd(argvFor('/code/api'), { fake })
    expect(code).toBe(0)
    expect(stderr).toContain('1 workspace could not be cleaned up yet')
  })

  it('streams text by whole lines, and prints none of it twice', async () => {
    const fake = createFakeShiplog()
    fake.onStart(async (lead) => {
      await Promise.resolve()
      fake.spawn(lead)
      const [entry] = fake.append(lead, { type: 'title', title: 'x' })
      if (!entry) throw new Error('nothing was appended')
      const partial = {
        v: 1 as const,
        uuid: entry.uuid,
        type: 'message' as const,
        role: 'assistant' as const,
        parts: [{ type: 'text' as const, text: 'First ' }],
        cwd: '/',
        timestamp: '2026-11-21T08:00:00.000Z',
        gitBranch: null,
        sessionId: lead,
        runId: `${lead}/1` as never,
        turn: 1,
        status: 'interrupted' as const,
      }
      await new Promise((resolve) => setImmediate(resolve))
      fake.stream(lead, { type: 'partial', partial })
      fake.stream(lead, { type: 'delta', part: 0, partType: 'text', text: 'line\nSecond' })
      const { v: _, ...message } = partial
      const parts = [{ type: 'text' as const, text: 'First line\nSecond line' }]
      fake.append(lead, { ...message, parts, status: 'complete' })
      fake.complete(lead)
    })
    const { stderr } = await runToEnd(argvFor('/code/api'), { fake })
    expect(stderr.match(/First line/g)).toHaveLength(1)
    expect(stderr.match(/Second line/g)).toHaveLength(1)
  })

  it.each([
    [
      '> test\n\n1 test failed: parser\n\n[exit code 1]',
      '✕ bash: 1 test failed: parser [exit code 1]',
    ],
    [`${'long '.repeat(40)}\n[exit code 2]`, /✕ bash: long .*… \[exit code 2\]$/m],
    ['[exit code 3]', '✕ bash: [exit code 3]'],
    ['half\n[time limit of 50 ms reached; the rest]', '✕ bash: half [time limit of 50 ms'],
  ])('shows the last words of a command that failed: %j', async (output, shown) => {
    const fake = createFakeShiplog()
    fake.onStart(async (lead) => {
      await Promise.resolve()
      fake.spawn(lead)
      fake.append(lead, {
        type: 'tool-result',
        name: 'bash',
        outcome: 'error',
        output,
        durationMs: 1,
        messageUuid: newEntryId(),
        callId: 'c1' as never,
        turn: 1,
        runId: runIdOf(lead, 1),
      })
      fake.complete(lead)
    })
    const { stderr } = await runToEnd(argvFor('/code/api'), { fake })
    if (typeof shown === 'string') expect(stderr).toContain(shown)
    else expect(stderr).toMatch(shown)
  })

  it('[Q4] reports an agent of which nothing came while it starts, and how to stop it', async () => {
    const fake = createFakeShiplog()
    const now = Date.parse('2026-11-21T10:00:00Z')
    fake.onStart(async (taskId) => {
      await Promise.resolve()
      fake.spawn(taskId)
      const starting = { state: 'working', text: 'Starting Codex', starts: true } as const
      fake.setActivity({ [taskId]: starting })
      fake.setActivity({ [taskId]: { ...starting, silentSince: now - 70_000 } })
      fake.setActivity({ [taskId]: { ...starting, silentSince: now - 70_000, wrapsUp: true } })
      fake.complete(taskId)
    })
    const { stderr } = await runToEnd(argvFor('/code/api'), { fake })
    expect(stderr.match(/silent/g)).toHaveLength(1)
    expect(stderr).toMatch(
      /… silent .*: Starting Codex… still nothing for 1m\. To stop it: shiplog tasks stop \w+\n/,
    )
  })

  it('[Q1] reports why and when a request to a model is repeated', async () => {
    const fake = createFakeShiplog()
    fake.onStart(async (taskId) => {
      await Promise.resolve()
      fake.spawn(taskId)
      fake.append(taskId, {
        type: 'retrying',
        runId: runIdOf(taskId, 1),
        turn: 1,
        cause: { kind: 'network', detail: 'the server closed the connection' },
        untilMs: Date.UTC(2200, 0),
      })
      fake.complete(taskId)
    })
    const { stderr } = await runToEnd(argvFor('/code/api'), { fake })
    expect(stderr).toMatch(/│ To try now: shiplog tasks try-now \w+\n/)
    expect(stderr).toMatch(
      /│ Trying again in \d+y: the connection failed: the server closed the connection/,
    )
  })

  it('prints no escape sequence that an agent wrote', async () => {
    const fake = createFakeShiplog()
    fake.onStart(async (lead) => {
      await Promise.resolve()
      fake.spawn(lead)
      fake.say(lead, 'a\x1b]0;owned\x07b \x1b[2J\u202eevil')
      fake.complete(lead)
    })
    const { stderr } = await runToEnd(argvFor('/code/api'), { fake })
    expect(stderr).toContain('a␛]0;owned␇b ␛[2J<U+202E>evil')
    expect(stderr).not.toContain('\x1b')
  })

  it('refuses a malformed scenario with exit 2 and leaves no project behind', async () => {
    const fake = createFakeShiplog()
    const scenario = path.join(dir, 'broken.yaml')
    const argv = ['agent', 'run', '--project', '/code/new', '--scenario', scenario]
    const { code, stderr } = await runToEnd(argv, { fake })
    expect(code).toBe(2)
    expect(stderr).toContain(`${scenario}:3:turn`)
    expect([...fake.state.projects.values()]).toEqual([])
  })

  it('prints the last message of a model without a report', async () => {
    const fake = createFakeShiplog()
    fake.onStart(async (lead) => {
      await Promise.resolve()
      fake.spawn(lead)
      fake.say(lead, 'I look.')
      fake.say(lead, 'It is **fine**.')
      fake.complete(lead)
    })
    const model = ['--model', 'anthropic/claude-opus-5-5']
    const argv = ['agent', 'run', 'Look', '--project', '/code/api', ...model]
    const { code, stdout } = await runToEnd(argv, { fake })
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'It is **fine**.\n' })
  })

  it('starts a model at the given address, with neither a scenario nor --agent', async () => {
    const { code, fake } = await runLead([
      'agent',
      'run',
      'Fix it',
      '--project',
      '/code/api',
      '--model',
      'openai-compatible/qwen3',
      '--base-url',
      'http://127.0.0.1:11434/v1',
    ])
    expect(code).toBe(0)
    expect([...fake.state.tasks.values()][0]?.model).toBe('openai-compatible/qwen3')
  })

  it('starts the default model of the settings if none is named', async () => {
    const entries = [
      { name: 'box', kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:1/v1' } as const,
    ]
    const fake = createFakeShiplog({ models: { entries, defaultModel: 'box/qwen3' } })
    fake.onStart(async (lead) => fake.complete(lead))
    const argv = ['agent', 'run', 'Look', '--project', '/code/api']
    await runToEnd(argv, { fake })
    expect(fake.asked('tasks.start')).toMatchObject([
      { agent: { kind: 'model', model: 'box/qwen3' } },
    ])
    const none = await runToEnd(argv)
    expect(none).toMatchObject({ code: 2, stderr: expect.stringContaining('no default model') })
    expect(none.stderr).toContain('shiplog agent setup')
  })

  it('refuses a path that is not a folder with exit 2', async () => {
    const { code, stderr } = await runToEnd(argvFor('/code/missing'))
    expect(code).toBe(2)
    expect(stderr).toContain('/code/missing does not exist')
  })

  it('works in place outside Git, and says so', async () => {
    const { code, stderr, fake } = await runLead(argvFor('/code/plain'))
    expect(code).toBe(0)
    expect(stderr).toContain('not a Git repository')
    expect(fake.calls).toContainEqual(
      expect.objectContaining({ input: expect.objectContaining({ isolation: 'in-place' }) }),
    )
  })

  it('passes its options on', async () => {
    const { fake } = await runLead(
      argvFor('/code/api', '--max-agents', '5', '--keep', '--isolation', 'in-place'),
    )
    expect(fake.calls).toContainEqual(
      expect.objectContaining({
        input: expect.objectContaining({
          agentsAtOnce: 5,
          keep: true,
          isolation: 'in-place',
          prompt: 'Fix it',
        }),
      }),
    )
  })

  describe('a set-up command that the project brings', () => {
    it('is shown, and refused with exit 5 if nobody can be asked', async () => {
      const fake = createFakeShiplog()
      const { code, stderr } = await runToEnd(argvFor('/code/with-setup'), { fake })
      expect(code).toBe(5)
      expect(stderr).toContain('npm ci')
      expect(stderr).toContain('--trust')
      expect(fake.state.tasks.size).toBe(0)
    })

    it('is allowed by --trust', async () => {
      const { code, fake } = await runLead(argvFor('/code/with-setup', '--trust'))
      expect(code).toBe(0)
      expect([...fake.state.trustedSetups.values()]).toEqual(['a1'])
    })

    it('[K6] is shown whole, line by line, with nothing hidden in it', async () => {
      const fake = createFakeShiplog()
      fake.broughtSetup(`true npm ci \x1b]0;./x;\x07${'\n'.repeat(5)}echo ${'y'.repeat(90)}`)
      const argv = argvFor('/code/with-setup')
      const { stderr } = await runToEnd(argv, { fake, stderrTTY: true, columns: 60 })
      expect(stderr).toContain('1 │\x1b[22m true npm ci \x1b[7m␛\x1b[27m]0;./x;\x1b[7m␇')
      expect(stderr).toContain(`6 │\x1b[22m echo ${'y'.repeat(49)}\n`)
      expect(stderr).toContain('2 characters in it can’t be seen')
      expect(stderr).toContain('4 blank lines in a row')
    })

    it('[K6] is asked for only after its last page', async () => {
      const fake = createFakeShiplog()
      fake.broughtSetup(Array.from({ length: 60 }, (_, at) => `echo ${at + 1}`).join('\n'))
      const cli = startCli(argvFor('/code/with-setup'), { fake, stderrTTY: true, stdinText: '' })
      for (const line of [20, 40]) {
        await cli.said(`(line ${line} of 60; Enter to read on)`)
        cli.type('\n')
      }
      await cli.said('echo 60\n')
      await cli.said('Allow it')
      cli.type('n\n')
      expect((await cli.ended).code).toBe(5)
    })

    it('[K6] is directly above the question, however long the list of copied files is', async () => {
      const fake = createFakeShiplog()
      const copy = Array.from({ length: 60 }, (_, at) => `some/folder/file-${at + 1}`)
      fake.broughtSetup('./x', copy)
      const cli = startCli(argvFor('/code/with-setup'), { fake, stderrTTY: true, stdinText: '' })
      for (const line of [20, 40]) {
        await cli.said(`(line ${line} of 60; Enter to read on)`)
        cli.type('\n')
      }
      await cli.said('(Enter to read on)')
      cli.type('\n')
      await cli.said('Allow it')
      cli.type('n\n')
      const { stderr } = await cli.ended
      expect(stderr.indexOf('file-60')).toBeLessThan(stderr.indexOf('./x'))
    })

    it('[K7] is shown without a question if the process that holds the data directory decides', async () => {
      const holder = { pid: 42, host: 'desktop' as const, hostName: 'here', endpoint: 'x' }
      const fake = createFakeShiplog()
      const { client } = fake.shiplog
      const { code, stderr } = await runToEnd(argvFor('/code/with-setup'), {
        fake,
        stderrTTY: true,
        stdinText: 'y\n',
        openShiplog: async () => {
          throw Object.assign(new Error('held'), { kind: 'lease-held', holder })
        },
        connectToHolder: async () => ({
          client,
          lost: new Promise<never>(() => {}),
          isOpen: () => true,
          close: () => {},
        }),
      })
      expect(code).toBe(5)
      expect(stderr).toContain('npm ci')
      expect(stderr).not.toContain('[y/N]')
      expect(stderr).toContain('Allow it in the process that has the data directory open.')
      expect(fake.state.trustedSetups.size).toBe(0)
    })

    const typed = async (answer: string, before = '') => {
      const fake = createFakeShiplog()
      fake.onStart(async (lead) => fake.complete(lead))
      const argv = argvFor('/code/with-setup')
      const cli = startCli(argv, { fake, stderrTTY: true, stdinText: before })
      await cli.said('Allow it, now and until it changes?')
      cli.type(answer)
      return (await cli.ended).code
    }

    it('is asked for on a terminal', async () => {
      expect(await typed('y\n')).toBe(0)
      expect(await typed('\n')).toBe(5)
    })

    it('[K8] is not allowed by what was typed or pasted before it was shown', async () => {
      expect(await typed('n\n', 'y\ny\n')).toBe(5)
    })

    it('is not allowed if the terminal is gone', async () => {
      const fake = createFakeShiplog()
      const cli = startCli(argvFor('/code/with-setup'), { fake, stderrTTY: true, stdinText: '' })
      cli.endInput()
      expect((await cli.ended).code).toBe(5)
    })
  })
})

it('shows the agent the images that --image names, and refuses a file that is not there', async () => {
  await writeFile(path.join(dir, 'shot.png'), png)
  const fake = createFakeShiplog()
  fake.onStart(async (lead) => {
    fake.spawn(lead)
    fake.report(lead, 'Seen', 'Blue.')
    fake.complete(lead)
  })
  const image = ['--image', path.join(dir, 'shot.png')]
  expect((await runToEnd(argvFor(dir, ...image), { fake })).code).toBe(0)
  expect(fake.asked('tasks.start')).toMatchObject([{ images: [{ data: png.toString('base64') }] }])
  const gone = await runToEnd(argvFor(dir, '--image', path.join(dir, 'gone.png')), { fake })
  expect(gone.code).toBe(2)
  expect(gone.stderr).toContain('there is no such file')
})
