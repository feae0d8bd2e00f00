import { z } from 'zod'

/** A name that the user gives to a provider of models or to an agent, and types on the command line. */
export const chosenNameSchema = z
  .string()
  .trim()
  .regex(
    /^[a-z0-9][a-z0-9._-]{0,39}$/,
    'takes lower-case letters, digits, dots and dashes, 40 at most',
  )
