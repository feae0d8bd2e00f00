/** What the desktop decides without Electron. The rest is in tests/electron. */
import { describe, expect, it } from 'vitest'
import { dataDirFlag } from '../../../src/main/hosts/desktop/arguments.ts'
import { fragmentOfArguments, fragmentOfLink } from '../../../src/main/hosts/desktop/deep-links.ts'
import { type MenuActions, menuItems } from '../../../src/main/hosts/desktop/menu-items.ts'
import { isReachable } from '../../../src/main/hosts/desktop/reachable.ts'
import { failedStartOf } from '../../../src/main/hosts/desktop/start-failure.ts'
import { revealCommand } from '../../../src/main/system/open-folder.ts'

const id = '3f0c9d3e-5b1a-4a2b-9c7d-0123456789ab'

describe('deep links', () => {
  it.each([
    ['a task', `shiplog://t/${id}`, `#/t/${id}`],
    ['a task, as Windows hands it over', `shiplog://t/${id}/`, `#/t/${id}`],
    ['a transcript', `shiplog://t/${id}/transcript/${id}`, `#/t/${id}/transcript/${id}`],
    ['an archived report', `shiplog://archive/${id}/report`, `#/archive/${id}/report`],
    ['an entry', `shiplog://t/${id}?seq=12`, `#/t/${id}?seq=12`],
    ['a moment', `shiplog://t/${id}?seq=12&replay`, `#/t/${id}?seq=12&replay`],
    ['a full screen', `shiplog://transcript/${id}?seq=7`, `#/transcript/${id}?seq=7`],
  ])('name %s', (_name, link, fragment) => {
    expect(fragmentOfLink(link)).toBe(fragment)
    expect(fragmentOfArguments(['/opt/shiplog', '--no-sandbox', link])).toBe(fragment)
  })

  it.each([
    ['a prefix of an id', 'shiplog://t/3f0c9d3e'],
    ['more after the id', `shiplog://t/${id}/stop`],
    ['more after the transcript', `shiplog://t/${id}/transcript/${id}/x`],
    ['a query', `shiplog://t/${id}?run=1`],
    ['more after the entry', `shiplog://t/${id}?seq=1&run=1`],
    ['a fragment', `shiplog://t/${id}#x`],
    ['another screen', 'shiplog://settings'],
    ['another scheme', `https://t/${id}`],
    ['a way up', 'shiplog://t/../../etc/passwd'],
    ['an id of another version', 'shiplog://t/00000000-0000-1000-8000-000000000000'],
    ['a second line', `shiplog://t/${id}\n--data-dir=/tmp`],
    ['a switch', `--data-dir=shiplog://t/${id}`],
    ['nothing', ''],
  ])('do not name %s', (_name, link) => {
    expect(fragmentOfLink(link)).toBeNull()
    expect(fragmentOfArguments([link])).toBeNull()
  })
})

describe('--data-dir', () => {
  it.each([
    [['electron', '.', '--data-dir', '/a b'], '/a b'],
    [['electron', '--data-dir=/a=b', '.'], '/a=b'],
    [['electron', '.', '--data-directory=/x'], undefined],
    [['electron', '.'], undefined],
    [['electron', '.', '--data-dir'], undefined],
    [['shiplog', '--', '--data-dir=/evil'], undefined],
    [['shiplog', 'shiplog://t/x', '--data-dir=/evil'], undefined],
    [['shiplog', '--data-dir=/mine', '--', 'shiplog://t/x', '--data-dir=/evil'], '/mine'],
    [['shiplog', 'https://x', '--data-dir', '/evil'], undefined],
  ])('of %j is %j', (argv, expected) => {
    expect(dataDirFlag(argv)).toBe(expected)
  })
})

describe('the place of a window', () => {
  const screen = { x: 0, y: 24, width: 1920, height: 1056 }
  it.each([
    ['in the middle', { x: 100, y: 100, width: 1280, height: 800 }, true],
    ['half off to the right', { x: 1700, y: 100, width: 1280, height: 800 }, true],
    ['on a screen that is gone', { x: 2500, y: 100, width: 1280, height: 800 }, false],
    ['with its title bar above the screen', { x: 0, y: -10, width: 1280, height: 800 }, false],
    ['with its title bar below the screen', { x: 0, y: 1060, width: 1280, height: 800 }, false],
  ])('%s', (_name, window, reachable) => {
    expect(isReachable(window, screen)).toBe(reachable)
  })
})

describe('a start that failed', () => {
  const failed = (kind: string, message: string) => Object.assign(new Error(message), { kind })

  it('ends with 6 when another process holds the data directory', () => {
    const failure = failedStartOf(failed('lease-held', 'it is in use by process 7 (web); close it'))
    expect(failure).toMatchObject({
      exitCode: 6,
      message: 'It is in use by process 7 (web); close it.',
    })
  })

  it('ends with 2 when the data directory can’t be used', () => {
    expect(failedStartOf(failed('data-dir', '/x can’t be written. Choose another.'))).toMatchObject(
      {
        exitCode: 2,
        message: '/x can’t be written. Choose another.',
      },
    )
  })

  it('shows all details of an internal error', () => {
    const failure = failedStartOf(new TypeError('oops'))
    expect(failure.exitCode).toBe(1)
    expect(failure.message).toMatch(/TypeError: oops[\s\S]*at /)
  })
})

describe('the menus', () => {
  const none: MenuActions = { openWindow() {}, show() {}, go() {}, showDataFolder() {} }
  const itemsOf = (system: { isMac?: boolean; isPackaged?: boolean }, actions = none) =>
    menuItems(actions, { isMac: false, isPackaged: true, ...system }).flatMap((item) => [
      item,
      ...(Array.isArray(item.submenu) ? item.submenu : []),
    ])

  it('[V4] of the packaged app reload no page and open no developer tools', () => {
    const roles = (isPackaged: boolean) => itemsOf({ isPackaged }).map(({ role }) => role ?? '')
    expect(roles(true)).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/reload|devtools/i)]),
    )
    expect(roles(true)).toContain('togglefullscreen')
    expect(roles(false)).toEqual(expect.arrayContaining(['reload', 'toggleDevTools']))
  })

  it.each([true, false])(
    'lead to every screen, with keys that the page leaves free (macOS: %s)',
    (isMac) => {
      const shown: string[] = []
      const items = itemsOf({ isMac }, { ...none, show: (fragment) => void shown.push(fragment) })
      for (const { click } of items) (click as (() => void) | undefined)?.()
      expect(shown.toSorted()).toEqual(['#/', '#/archive', '#/search', '#/settings'])
      const keys = items.flatMap(({ accelerator }) => accelerator ?? [])
      expect(new Set(keys).size).toBe(keys.length)
      expect(
        keys.filter((key) => /^(CmdOrCtrl|Cmd|Ctrl)\+([KNF]|Shift\+F|Enter)$/.test(String(key))),
      ).toEqual([])
    },
  )
})

describe('opening a folder', () => {
  it.each([
    ['darwin', '/p/Evil.app', ['open', '-R', '/p/Evil.app']],
    ['darwin', '/p/x.workflow', ['open', '-R', '/p/x.workflow']],
    ['darwin', '/p/Evil.app/', ['open', '-R', '/p/Evil.app/']],
    ['darwin', '/p/plain', null],
    ['linux', '/p/Evil.app', null],
  ] as const)('on %s of %s never starts what the folder may be', (platform, path, command) => {
    expect(revealCommand(path, platform)).toEqual(command)
  })
})
