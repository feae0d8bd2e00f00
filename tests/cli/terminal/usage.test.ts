import { describe, expect, it } from 'vitest'
import { runToEnd } from '../fake-process.ts'

describe('usage of the command line', () => {
  it('refuses an unknown command with exit 2 and where the help is', async () => {
    expect(await runToEnd(['launch'])).toEqual({
      code: 2,
      stdout: '',
      stderr:
        "Error: unknown command 'launch'\nUsage: shiplog [options] [command]\n`shiplog --help` explains the commands.\n",
    })
  })

  it.each([
    [['task', 'list'], '(Did you mean tasks?)'],
    [['tasks', 'lst'], '(Did you mean list?)'],
    [['tasks', 'list', '--statu', 'x'], '(Did you mean --status?)'],
  ])('%j names the one that is spelled alike', async (argv, suggestion) => {
    expect((await runToEnd(argv)).stderr).toContain(suggestion)
  })

  it('keeps a mistake in sight: one line of usage after it, not the whole help', async () => {
    const { stderr } = await runToEnd(['agent', 'run', '--max-agents', '0'])
    expect(stderr).toBe(
      "Error: option '--max-agents <n>' argument '0' is invalid. It must be a whole number from 1 to 16.\n" +
        'Usage: shiplog agent run [options] [prompt]\n`shiplog agent run --help` explains the options.\n',
    )
  })

  it('shows the help of each command with help and with --help', async () => {
    for (const words of [[], ['tasks'], ['tasks', 'apply'], ['agent', 'run']]) {
      const { code, stdout, stderr } = await runToEnd(['help', ...words])
      expect({ words, code, stderr }).toEqual({ words, code: 0, stderr: '' })
      expect(stdout).toBe((await runToEnd([...words, '--help'])).stdout)
      expect(stdout).toContain(['Usage: shiplog', ...words, '[options]'].join(' '))
      expect(stdout).not.toContain('default: ""')
    }
    const unknown = await runToEnd(['help', 'tasks', 'aply'])
    expect(unknown.code).toBe(2)
    expect(unknown.stderr).toContain("Error: unknown command 'tasks aply'")
  })

  it.each([[['restore', 'x']], [['tasks', 'attach', 'abcd']]])(
    '%j is no command yet, and no stub of one',
    async (argv) => {
      const { code, stderr } = await runToEnd(argv)
      expect(code).toBe(2)
      expect(stderr).toContain('unknown command')
    },
  )

  it.each([
    [['tasks']],
    [['tasks', 'report']],
    [['tasks', 'list', '--status', 'asleep']],
    [['tasks', 'list', 'extra']],
    [['--bogus']],
    [['agent', 'run', 'Do it']],
    [['agent', 'run', '--project', '.']],
    [['agent', 'run', '--project', '.', '--scenario', 'x', '--max-agents', '17']],
    [['agent', 'run', '--project', '.', '--agent', 'psychic']],
    [['agent', 'run', '--resume', 'abcd', '--scenario', 'x']],
    [['agent', 'run', '--resume', 'abcd', '--model', 'anthropic/claude-opus-5-5']],
    [['agent', 'run', '--project', '.', '--model', 'anthropic/claude-opus-5-5']],
    [['agent', 'run', 'Do it', '--project', '.', '--agent', 'model']],
    [['agent', 'run', 'Do it', '--project', '.', '--base-url', 'http://127.0.0.1:1/v1']],
    [['agent', 'run', 'Do it', '--project', '.', '--model', 'a/b', '--scenario', 'x']],
    [['agent', 'run', '--resume', 'abcd', '--isolation', 'in-place', '--keep']],
    [['agent', 'run', '--resume', 'abcd', '--agent', 'scripted']],
    [['agent', 'run', '--project', '.', '--scenario', 'x', '--force']],
    [['tasks', 'resume', 'abcd', '--batch', 'wave-1']],
    [['tasks', 'resume', '--batch', '--tree']],
    [['tasks', 'resume', '--max-agents', '0']],
    [['tasks', 'resume', 'abcd', 'efgh']],
    [['projects', 'environment']],
    [['projects', 'environment', '--project', '.', '--pass', 'A=b']],
    [['projects', 'environment', '--project', '.', '--reset', '--only', 'A']],
    [['tasks', 'retry']],
    [['tasks', 'abandon']],
    [['tasks', 'continue']],
    [['agent', 'run', '--project', '.', '--scenario', '/nowhere/at/all.yaml']],
    [['transcripts', 'show', 'abcd', '--from', '0']],
    [['transcripts', 'show', 'abcd', '--format', 'pdf']],
    [['serve', '--port', '70000']],
  ])('%j is a mistake of usage: exit 2, said on standard error', async (argv) => {
    const { code, stdout, stderr } = await runToEnd(argv)
    expect(code).toBe(2)
    expect(stdout).toBe('')
    expect(stderr).not.toBe('')
  })

  it('prints help and version on standard output with exit 0', async () => {
    const help = await runToEnd(['--help'])
    expect(help.code).toBe(0)
    expect(help.stdout).toContain('Exit codes:')
    expect(help.stderr).toBe('')
    expect(await runToEnd(['--version'])).toEqual({ code: 0, stdout: '1.2.3\n', stderr: '' })
    expect((await runToEnd(['agent', 'run', '--help'])).stdout).toContain('--scenario <file>')
  })

  it('takes the shared options before and after the command', async () => {
    const asked: (string | undefined)[] = []
    const resolveDataDir = async (flag: string | undefined) => {
      asked.push(flag)
      return '/data'
    }
    for (const argv of [
      ['--data-dir', '/kept', '--json', 'tasks', 'list'],
      ['tasks', '--data-dir=/kept', 'list', '--json'],
      ['tasks', 'list', '--json', '--data-dir', '/kept'],
    ]) {
      const { code, stdout } = await runToEnd(argv, { resolveDataDir })
      expect({ argv, code, stdout }).toEqual({ argv, code: 0, stdout: '{"tasks":[]}\n' })
    }
    expect(asked).toEqual(['/kept', '/kept', '/kept'])
  })
})
