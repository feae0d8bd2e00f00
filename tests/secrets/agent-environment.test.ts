import { delimiter, dirname } from 'node:path'
import { describe, expect, it } from 'vitest'
import { agentEnvironment } from '../../src/main/secrets/agent-environment.ts'

const none = { allowed: [], only: null }
const jwt = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', 'x'].join('.')

describe('the environment of agents', () => {
  it.each([
    'STRIPE_KEY',
    'GITHUB_TOKEN',
    'APP_SECRET',
    'DB_PASSWORD',
    'GOOGLE_APPLICATION_CREDENTIALS',
    'AWS_ACCESS_KEY_ID',
    'AWS_SECRET_ACCESS_KEY',
    'AWS_SESSION_TOKEN',
    'PGPASSWORD',
    'MYSQL_PWD',
    'OPENAI_API_KEY',
    'ANTHROPIC_AUTH_TOKEN',
    'NPM_TOKEN',
    'npm_config__authToken',
    'SENTRY_DSN',
    'CARGO_REGISTRY_TOKEN',
    'DOCKER_AUTH_CONFIG',
    'SLACK_WEBHOOK_URL',
    'OP_SESSION_home',
    'TOKEN',
    'AZURE_STORAGE_CONNECTION_STRING',
    'stripe_key',
    'FLY_API_TOKEN',
    'SSHPASS',
    'GH_PAT',
  ])('[K2] has no %s', (name) => {
    const { env, withheld } = agentEnvironment({ [name]: 'x', HOME: '/h' }, none)
    expect(env[name]).toBeUndefined()
    expect(env.HOME).toBe('/h')
    expect(withheld).toEqual([name])
  })

  it.each([
    ['an address with a password', 'postgres://app:hunter22@db/main'],
    ['a key of a provider', `sk-${'a1B2'.repeat(8)}`],
    ['a token of GitHub', `ghp_${'a1B2'.repeat(9)}`],
    ['a key of AWS', `AKIA${'ABCD'.repeat(4)}`],
    ['a JWT', jwt],
    [
      'a private key',
      '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----',
    ],
  ])('[K2] has nothing whose value is %s, whatever its name', (_, value) => {
    const { env, withheld } = agentEnvironment({ HARMLESS: value }, none)
    expect(env.HARMLESS).toBeUndefined()
    expect(withheld).toEqual(['HARMLESS'])
  })

  it.each([
    'JAVA_HOME',
    'LANG',
    'LC_ALL',
    'GOPATH',
    'CI',
    'EDITOR',
    'SSH_AUTH_SOCK',
    'HTTPS_PROXY',
    'NODE_ENV',
    'KEYBOARD',
    'MONKEY',
    'DISPLAY',
    'VIRTUAL_ENV',
    'GIT_AUTHOR_NAME',
    'CARGO_HOME',
  ])('[K2] has %s', (name) => {
    expect(agentEnvironment({ [name]: 'C' }, none).env[name]).toBe('C')
  })

  it.each([
    [{ LANG: 'de_DE.UTF-8' }, undefined],
    [{ LANG: 'C', LC_CTYPE: 'en_US.utf8' }, undefined],
    [{ LC_ALL: 'ca_ES.UTF-8@valencia' }, 'ca_ES.UTF-8@valencia'],
    [{ LANG: 'zh_CN.GBK' }, 'C.UTF-8'],
    [{ LANG: 'ja_JP' }, 'C.UTF-8'],
    [{ LANG: 'C.UTF-8', LC_ALL: 'ja_JP.SJIS' }, 'C.UTF-8'],
    [{ LANG: 'C.UTF-8', LC_CTYPE: 'zh_TW.Big5' }, 'C.UTF-8'],
  ])(
    '[P3] with %j has LC_ALL=%s, so that its shell reads commands as permissions do',
    (host, all) => {
      expect(agentEnvironment(host, none).env.LC_ALL).toBe(all)
    },
  )

  it.each(['CDPATH', 'GLOBIGNORE', 'SHELLOPTS', 'BASHOPTS', 'POSIXLY_CORRECT', 'ENV'])(
    '[P3] has no %s, which changes how its shell reads commands',
    (name) => {
      expect(agentEnvironment({ [name]: 'x' }, none).env[name]).toBeUndefined()
    },
  )

  it.each([
    'GIT_DIR',
    'GIT_WORK_TREE',
    'GIT_INDEX_FILE',
    'GIT_SSH_COMMAND',
    'GIT_EXEC_PATH',
    'GIT_ASKPASS',
    'GIT_TEMPLATE_DIR',
    'GIT_CONFIG_COUNT',
    'GIT_CONFIG_KEY_0',
    'GIT_CONFIG_PARAMETERS',
    'SHIPLOG_DATA_DIR',
    'SHIPLOG_EDITOR',
    'NODE_OPTIONS',
    'ELECTRON_RUN_AS_NODE',
    'FORCE_COLOR',
  ])('[K2] has no %s of the process that started Shiplog, and says nothing of it', (name) => {
    const { env, withheld } = agentEnvironment({ [name]: 'x' }, { allowed: [name], only: [name] })
    expect(env[name]).toBeUndefined()
    expect(withheld).toEqual([])
  })

  it('[K2] contains a secret that the user named', () => {
    const host = { STRIPE_KEY: 'x', OTHER_KEY: 'y' }
    const { env, withheld } = agentEnvironment(host, { allowed: ['STRIPE_KEY'], only: null })
    expect(env.STRIPE_KEY).toBe('x')
    expect(withheld).toEqual(['OTHER_KEY'])
  })

  it('[K2] contains, with a list of variables, only these and those that every program needs', () => {
    const host = {
      PATH: '/bin',
      HOME: '/h',
      LANG: 'C',
      JAVA_HOME: '/j',
      EDITOR: 'vi',
      A_KEY: 'k',
      B_KEY: 'l',
    }
    const { env, withheld } = agentEnvironment(host, { allowed: [], only: ['JAVA_HOME', 'A_KEY'] })
    expect(Object.keys(env).sort()).toEqual([
      'A_KEY',
      'HOME',
      'JAVA_HOME',
      'LANG',
      'PAGER',
      'PATH',
      'TERM',
    ])
    expect(withheld).toEqual(['B_KEY'])
  })

  it('[K8] contains the settings of the shell’s own Git last', () => {
    const git = { GIT_CEILING_DIRECTORIES: '/data' }
    expect(agentEnvironment({ GIT_CEILING_DIRECTORIES: '/x' }, none, git).env).toMatchObject(git)
  })
})

it('[K1] withholds the variable that holds the key of the task’s model, whatever it is called', () => {
  const host = { MY_ACCESS: 'abcdefgh', OTHER: 'x' }
  const policy = { allowed: [], only: null, keys: ['MY_ACCESS'] }
  const { env, withheld } = agentEnvironment(host, policy)
  expect(env).toMatchObject({ OTHER: 'x' })
  expect(env).not.toHaveProperty('MY_ACCESS')
  expect(withheld).toEqual(['MY_ACCESS'])
  const allowed = agentEnvironment(host, { ...policy, allowed: ['MY_ACCESS'] })
  expect(allowed.env).toHaveProperty('MY_ACCESS')
})

it.each(['', '.', './node_modules/.bin', 'bin'])(
  '[K2] looks for no program in the working directory for the entry "%s" of the PATH',
  (entry) => {
    const path = [entry, '/usr/bin', entry, '/bin', entry].join(delimiter)
    const dirs = agentEnvironment({ PATH: path }, none).env.PATH?.split(delimiter)
    expect(dirs).toEqual(['/usr/bin', '/bin', dirname(process.execPath)])
  },
)
