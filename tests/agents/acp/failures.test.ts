import { RequestError } from '@agentclientprotocol/sdk/unstable'
import { describe, expect, it } from 'vitest'
import { causeOfError, causeOfStop } from '../../../src/main/agents/acp/failures.ts'
import { NoAnswer } from '../../../src/main/agents/acp/process/connection.ts'

const agent = { name: 'Codex', signIn: 'Sign in with: codex login' }

describe('why an installed agent stopped', () => {
  it.each([
    ['sign-in', -32000, 'Authentication required', undefined],
    ['sign-in', -32603, 'Internal error', { errorKind: 'authentication_failed' }],
    ['quota', -32603, 'Internal error', { errorKind: 'rate_limit' }],
    ['quota', -32603, 'You have hit your usage limit', undefined],
    ['network', -32603, 'Internal error', { errorKind: 'server_error' }],
    ['refused', -32603, 'Prompt is too long', { errorKind: 'invalid_request' }],
  ])('is %s for the error %i %s', (kind, code, message, data) => {
    expect(causeOfError(new RequestError(code, message, data), agent)).toMatchObject({ kind })
  })

  it('states what the user can do, and the data of the agent’s error', () => {
    const error = new RequestError(-32000, 'Authentication required', { details: 'no key' })
    expect(causeOfError(error, agent)).toMatchObject({
      detail: 'Codex is not signed in (Authentication required: no key). Sign in with: codex login',
    })
  })

  it('[G7] states that it never started, and where to look for the reason', () => {
    const cause = causeOfError(new NoAnswer('session/new', 120_000), agent)
    expect(cause).toEqual({
      kind: 'not-started',
      step: 'run',
      detail:
        'Codex had not started after 2 minutes, and was ended (no answer to session/new). Start it in a terminal to see what it waits for',
    })
    expect(causeOfError(new NoAnswer('session/load', 300_000), agent)).toMatchObject({
      detail: expect.stringContaining('had not loaded the conversation after 5 minutes'),
    })
  })

  it.each([
    ['end_turn', null],
    ['max_tokens', { kind: 'refused' }],
    ['max_turn_requests', { kind: 'refused' }],
    ['refusal', { kind: 'refused' }],
    ['cancelled', { kind: 'refused' }],
  ])('takes the end %s as what it is', (stop, cause) => {
    const found = causeOfStop(stop)
    if (cause === null) expect(found).toBeNull()
    else expect(found).toMatchObject(cause)
  })
})
