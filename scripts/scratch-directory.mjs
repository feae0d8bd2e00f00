// Where tests write. Shiplog syncs each record, and four suites that sync on one disk would mostly wait for one
// another. Disk failures are tested with a simulated disk, so no real one is needed.
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statfsSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const memory = '/dev/shm'
/** A whole run has less than 1 GB there at any time; containers often have 64 MB. */
const leastFreeBytes = 4 * 1024 ** 3

/**
 * Makes a directory that the caller removes: in memory where there is enough and its programs may be run, unless the
 * user chose a place by TMPDIR.
 *
 * @returns {string} its absolute path
 */
export function makeScratchDirectory() {
  if (!process.env.TMPDIR && hasRoom()) {
    const made = passable(mkdtempSync(join(memory, 'shiplog-test-')))
    if (runsPrograms(made)) return made
    rmSync(made, { recursive: true })
  }
  return passable(mkdtempSync(join(realpathSync(tmpdir()), 'shiplog-test-')))
}

/** Lets tests that run as another user traverse the directory. */
function passable(dir) {
  chmodSync(dir, 0o711)
  return dir
}

function hasRoom() {
  try {
    const { bavail, bsize } = statfsSync(memory)
    return statSync(memory).isDirectory() && bavail * bsize >= leastFreeBytes
  } catch {
    return false // no such folder on this system
  }
}

/** Reports whether programs may be run there: some systems mount it `noexec`. */
function runsPrograms(dir) {
  const program = join(dir, 'program')
  writeFileSync(program, '#!/bin/sh\n')
  chmodSync(program, 0o700)
  const { status } = spawnSync(program)
  rmSync(program)
  return status === 0
}
