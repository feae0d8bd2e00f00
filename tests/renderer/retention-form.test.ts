import { expect, it } from 'vitest'
import {
  formOf,
  isSame,
  parseForm,
} from '../../src/renderer/components/retention/retention-form.ts'
import { retentionDefaults } from '../../src/shared/contract/retention.ts'
import fc from '../random.ts'

const defaults = formOf(retentionDefaults)

it('shows the settings, and reads them back unchanged', () => {
  expect(defaults).toEqual({
    days: '30',
    transcripts: '',
    size: '',
    unit: 'GB',
    trashDays: '7',
    trashSize: '5',
  })
  const limit = (max: number) => fc.option(fc.integer({ min: 0, max }), { nil: null })
  fc.assert(
    fc.property(
      limit(36_500),
      limit(1e6),
      limit(9e6),
      fc.integer({ min: 1, max: 36_500 }),
      (ttl, count, kilobytes, trash) => {
        const settings = {
          transcriptTtlDays: ttl,
          transcriptsMax: count,
          trashTtlDays: trash,
          bytesMax: kilobytes === null ? null : kilobytes * 1000,
          trashBytesMax: kilobytes === null ? null : kilobytes * 3000,
        }
        const { settings: read, errors } = parseForm(formOf(settings))
        expect(errors).toEqual({})
        expect(read && isSame(read, settings)).toBe(true)
      },
    ),
  )
})

it('treats an empty field as no limit, except for the trash', () => {
  const { settings } = parseForm({ ...defaults, days: ' ' })
  expect(settings).toEqual({ ...retentionDefaults, transcriptTtlDays: null })
  expect(parseForm({ ...defaults, trashDays: '' })).toEqual({
    settings: null,
    errors: { trashDays: 'Enter a whole number from 1 to 36,500.' },
  })
})

it.each([
  [{ days: '-1' }, 'days'],
  [{ days: '1.5' }, 'days'],
  [{ days: '36501' }, 'days'],
  [{ days: '1e3' }, 'days'],
  [{ transcripts: 'many' }, 'transcripts'],
  [{ trashDays: '0' }, 'trashDays'],
  [{ size: '2,5' }, 'size'],
  [{ size: '-2' }, 'size'],
  [{ size: '99999999', unit: 'TB' as const }, 'size'],
])('%j can’t be used, and says in which field', (typed, field) => {
  const { settings, errors } = parseForm({ ...defaults, ...typed })
  expect(settings).toBeNull()
  expect(Object.keys(errors)).toEqual([field])
})
