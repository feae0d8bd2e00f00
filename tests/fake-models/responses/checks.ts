/** Semantic checks of the Responses API. */
import { checkImages } from '../images.ts'
import type { IssuedRegistry } from '../issued.ts'
import type { Model } from '../models.ts'
import { checkCacheParameters } from '../openai-cache.ts'
import { checkOpenaiTools } from '../openai-shape.ts'
import { Refusal, refuse } from '../refusal.ts'
import { checkLength } from '../too-long.ts'
import type { ResponsesItem, ResponsesRequest } from './request.ts'

const idPrefixes = { message: 'msg', reasoning: 'rs', function_call: 'fc' } as const

/** Returns the input with item references resolved. Throws Refusal. */
export function checkResponsesRequest(
  request: ResponsesRequest,
  model: Model,
  issued: IssuedRegistry,
): ResponsesItem[] {
  checkCacheParameters(request, model)
  checkTools(request)
  if (request.input.length === 0)
    refuse("Invalid 'input': empty array. Expected an array with minimum length 1.", {
      code: 'empty_array',
      param: 'input',
    })
  checkIds(request.input)
  const items = request.input.map((item) => resolveReference(item, issued))
  checkReasoning(items, issued)
  checkCalls(items, issued)
  checkMessages(items)
  checkCurrentTurn(request, items, issued)
  checkImages('responses', request)
  checkLength('responses', request, model)
  return items
}

/** A name is unique in its namespace. */
function checkTools({ tools = [] }: ResponsesRequest): void {
  const groups = [tools, ...tools.map((tool) => (tool.type === 'namespace' ? tool.tools : []))]
  for (const group of groups)
    checkOpenaiTools(
      group.flatMap((tool) =>
        tool.type === 'function'
          ? [{ name: tool.name, schema: tool.parameters, strict: tool.strict === true }]
          : [],
      ),
      (index, key) => `tools[${index}].${key}`,
    )
}

function checkIds(input: ResponsesItem[]): void {
  const ids = new Set<string>()
  for (const [index, item] of input.entries()) {
    if (!('id' in item) || !item.id) continue
    const prefix = item.type in idPrefixes ? idPrefixes[item.type as keyof typeof idPrefixes] : ''
    if (!item.id.startsWith(prefix))
      refuse(
        `Invalid 'input[${index}].id': '${item.id}'. Expected an ID that begins with '${prefix}'.`,
        { code: 'invalid_value', param: `input[${index}].id` },
      )
    if (ids.has(item.id))
      refuse(
        `Duplicate item found with id ${item.id}. Remove duplicate items from your input and try again.`,
        { param: 'input' },
      )
    ids.add(item.id)
  }
}

function resolveReference(item: ResponsesItem, issued: IssuedRegistry): ResponsesItem {
  if (item.type !== 'item_reference') return item
  const stored = issued.stored(item.id)
  if (!stored) throw notFound(item.id)
  return stored as ResponsesItem
}

const notFound = (id: string) =>
  new Refusal(
    404,
    `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. Try again with \`store\` set to true, or remove this item from your input.`,
    { param: 'input' },
  )

function checkReasoning(items: ResponsesItem[], issued: IssuedRegistry): void {
  for (const [index, item] of items.entries()) {
    if (item.type !== 'reasoning') continue
    const { id, encrypted_content: encrypted } = item
    if (encrypted) {
      const signedId = issued.signed(encrypted)
      if (signedId === undefined || (id !== undefined && id !== signedId))
        refuse(
          `The encrypted content ${encrypted.slice(0, 8)}... could not be verified. Reason: Encrypted content could not be decrypted or parsed.`,
          { code: 'invalid_encrypted_content' },
        )
    } else if (id === undefined || !issued.stored(id)) throw notFound(id ?? '')
    const next = items[index + 1]
    const isFollowed =
      next?.type === 'reasoning' ||
      next?.type === 'function_call' ||
      (next?.type === 'message' && next.role === 'assistant')
    if (!isFollowed)
      refuse(`Item '${id}' of type 'reasoning' was provided without its required following item.`, {
        param: 'input',
      })
  }
}

function checkCalls(items: ResponsesItem[], issued: IssuedRegistry): void {
  const calls = new Map<string, number>()
  const outputs = new Map<string, number>()
  for (const [index, item] of items.entries()) {
    if (item.type === 'function_call') {
      if (calls.has(item.call_id))
        refuse(
          `Duplicate item found with id ${item.call_id}. Remove duplicate items from your input and try again.`,
        )
      calls.set(item.call_id, index)
      const name = [item.namespace, item.name].filter(Boolean).join('.')
      issued.checkCall(item.call_id, name, parseArguments(item.arguments))
    }
    if (item.type !== 'function_call_output') continue
    if (!calls.has(item.call_id))
      refuse(`No tool call found for function call output with call_id ${item.call_id}.`, {
        param: 'input',
      })
    if (outputs.has(item.call_id))
      refuse(`[fake] call ${item.call_id} has more than one function_call_output`)
    outputs.set(item.call_id, index)
  }
  for (const [id, at] of calls) {
    const output = outputs.get(id)
    if (output === undefined)
      refuse(`No tool output found for function call ${id}.`, { param: 'input' })
    const between = items.slice(at + 1, output)
    // Only outputs may follow the first output, up to the last one.
    const firstOutput = between.findIndex(({ type }) => type === 'function_call_output')
    const late = between
      .slice(firstOutput < 0 ? between.length : firstOutput)
      .some(({ type }) => type !== 'function_call_output')
    const prompts = between.some((item) => item.type === 'message' && item.role !== 'assistant')
    if (late || prompts)
      refuse(`[fake] the output of call ${id} does not come directly after the turn of its call`)
  }
}

function checkMessages(items: ResponsesItem[]): void {
  const isInstruction = (item: ResponsesItem) =>
    item.type === 'additional_tools' ||
    (item.type === 'message' && (item.role === 'system' || item.role === 'developer'))
  const first = items.find((item) => !isInstruction(item))
  if (first?.type !== 'message' || first.role !== 'user')
    refuse("[fake] the first message is not the user's")
  for (const [index, item] of items.entries()) {
    if (item.type !== 'message') continue
    const { content, role } = item
    const texts = typeof content === 'string' ? [content] : content.map(textOf)
    if (texts.length === 0 || texts.some((text) => text === ''))
      refuse(`[fake] input[${index}].content of the ${role} is empty`)
    if (typeof content === 'string') continue
    const wrong = content.find(({ type }) => isOutput(type) !== (role === 'assistant'))
    if (wrong)
      refuse(
        `Invalid value: '${wrong.type}'. Supported values are: ${role === 'assistant' ? "'output_text' and 'refusal'" : "'input_text', 'input_image' and 'input_file'"}.`,
        { code: 'invalid_value', param: `input[${index}].content[0]` },
      )
  }
}

const isOutput = (type: string) => type === 'output_text' || type === 'refusal'
const textOf = (part: { type: string; text?: string; refusal?: string }) =>
  part.text ?? part.refusal ?? part.type

function checkCurrentTurn(
  { model, include }: ResponsesRequest,
  items: ResponsesItem[],
  issued: IssuedRegistry,
): void {
  if (!include?.includes('reasoning.encrypted_content')) return
  const lastPrompt = items.findLastIndex((item) => item.type === 'message' && item.role === 'user')
  const current = items.slice(lastPrompt + 1)
  const tokens = current.flatMap((item) =>
    item.type === 'reasoning' && item.encrypted_content ? [item.encrypted_content] : [],
  )
  for (const item of current)
    if (item.type === 'function_call') issued.checkReasoning(item.call_id, model, tokens)
}

function parseArguments(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
