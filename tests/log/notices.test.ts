import { expect, it } from 'vitest'
import { detailsMax, noticesMax } from '../../src/main/composition/notice-list.ts'
import { createNotices } from '../../src/main/composition/notices.ts'
import type { LogFields, LogLevel } from '../../src/main/log/format-line.ts'
import { newReceiptId } from '../../src/shared/records/ids.ts'

function gathered() {
  const lines: { level: LogLevel; fields: LogFields }[] = []
  const to =
    (level: LogLevel) =>
    (_event: string, fields: LogFields = {}) =>
      lines.push({ level, fields })
  const log = {
    file: '/data/logs/shiplog.log',
    info: to('info'),
    warning: to('warning'),
    error: to('error'),
  }
  return { notices: createNotices({ log }), lines }
}

it('keeps the newest notices, and says how many older ones are in the log only', () => {
  const { notices, lines } = gathered()
  for (let n = 1; n <= noticesMax + 3; n++) notices.warning(`Number ${n}`)
  const list = notices.list()
  expect(list).toHaveLength(noticesMax + 1)
  expect(list[0]?.text).toBe('Number 4')
  expect(list.at(-2)?.text).toBe(`Number ${noticesMax + 3}`)
  expect(list.at(-1)).toMatchObject({
    tone: 'info',
    text: '3 older notices are only in Shiplog’s own log.',
    details: ['/data/logs/shiplog.log'],
  })
  expect(lines).toHaveLength(noticesMax + 3)
})

it('names the older ones by one id, so that reading it once is enough', () => {
  const { notices } = gathered()
  const idOfOlder = () => notices.list().at(-1)?.id
  for (let n = 0; n <= noticesMax; n++) notices.warning('One')
  const before = idOfOlder()
  notices.warning('One more')
  expect(idOfOlder()).toBe(before)
})

it('does not drop a notice with an undo or a question', () => {
  const { notices } = gathered()
  const receiptId = newReceiptId()
  notices.swept({ text: 'Moved to the trash', details: [] }, receiptId)
  notices.clockAhead('The clock leapt')
  for (let n = 0; n < noticesMax; n++) notices.warning('One')
  expect(notices.list().map(({ text }) => text)).toEqual(
    expect.arrayContaining(['Moved to the trash', 'The clock leapt']),
  )
})

it('shows a bounded list of details; the log has all of them', () => {
  const { notices, lines } = gathered()
  const details = Array.from({ length: detailsMax + 20 }, (_, n) => `transcript ${n}`)
  notices.strays(details)
  const [notice] = notices.list()
  expect(notice?.details).toHaveLength(detailsMax + 1)
  expect(notice?.details.at(-1)).toBe('… and 20 more')
  expect(lines[0]).toMatchObject({ level: 'warning', fields: { details } })
})

it('shows the message of a failure, and writes its stack to the log only', () => {
  const { notices, lines } = gathered()
  const error = new Error('They are in the trash')
  notices.problem('No patch holds them', error)
  expect(notices.list()).toMatchObject([
    { tone: 'error', text: 'No patch holds them', details: ['They are in the trash'] },
  ])
  expect(lines[0]?.fields).toMatchObject({ error })
})
