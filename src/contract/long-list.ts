/** Lists that may have hundreds of thousands of values. */

import * as z from 'zod';

/**
 * Values are checked by hand, which takes a tenth of the time; their schema explains what is wrong. Keys that it does not
 * know are kept.
 */
export const longList = <S extends z.ZodType>(schema: S, isValid: (value: unknown) => boolean) =>
  z.custom<z.infer<S>[]>(Array.isArray, 'expected a list').superRefine((values, context) => {
    const at = values.findIndex((value) => !isValid(value));
    const problem = at < 0 ? undefined : schema.safeParse(values[at]).error?.issues[0];
    if (problem) context.addIssue({ code: 'custom', message: problem.message, path: [at, ...problem.path] });
  });
