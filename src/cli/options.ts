/** The options that several commands have, and how all of them are shown. */

import { type Command, Help, type HelpConfiguration, InvalidArgumentError, Option } from 'commander';
import { linkStyles } from '../contract/paths.ts';
import { formerHosts, hostNames } from '../hosts/names.ts';
import { sourceNames } from '../sources/source.ts';
import { defaults } from './commands/defaults.ts';

/** One line per option, without blank lines: the help of a command fits on a screen. */
export const compactHelp: HelpConfiguration = {
  formatHelp: (command, help) => `${Help.prototype.formatHelp.call(help, command, help)}\n`,
  formatItemList: (heading, items) => (items.length === 0 ? [] : [heading, ...items]),
  optionDescription({ description, defaultValue, required }) {
    return required && defaultValue !== undefined ? `${description} [${defaultValue}]` : description;
  },
};

export function parseNumber(text: string): number {
  if (!/^-?\d+(?:\.\d+)?$/.test(text)) throw new InvalidArgumentError('Expected a number.');
  return Number(text);
}

/** A choice that its description lists. */
export const choices = (flags: string, about: string, names: readonly string[]): Option =>
  new Option(flags, `${about}: ${names.join(', ')}`).choices(names);
export const numberOption = (flags: string, about: string): Option =>
  new Option(flags, about).argParser(parseNumber);

/** What `--max-shrink` is. */
export const SHRINK = 'records that may disappear, in percent';
export const takeLockOption = (): Option =>
  new Option('--take-lock', 'take over the lock of a dead build elsewhere');
export const allowMissingOption = (): Option =>
  new Option('--allow-missing <record...>', 'as <kind>/<slug> or names/<tag>');
export const hostOption = (about: string): Option =>
  new Option('--host <name...>', about).choices([...hostNames, ...formerHosts.keys()]);
export const linksOption = (): Option => choices('--links <style>', 'what links point to', linkStyles);
export const concurrencyOption = (): Option =>
  numberOption('--concurrency <n>', 'maximum number of concurrent requests').default(defaults.concurrency);
export const retriesOption = (): Option =>
  numberOption('--retries <n>', 'how often a failed request is retried').default(defaults.retries);

/** What every command accepts. */
export function addCommon(command: Command): Command {
  return command
    .optionsGroup('Common:')
    .option('--config <file>', 'options [gamedata.config.json, if it exists]')
    .helpOption('-h, --help', 'show this help');
}

/** What configuration of web servers is made of. */
export const addServingOptions = (command: Command): Command =>
  command.option('--root <dir>', 'document root of a web server [--out]');

/** The options about output of a command that has a report. */
export function addPresentation(command: Command): Command {
  return addCommon(command)
    .option('--json', 'print the report as JSON on stdout')
    .option('--quiet', 'print only problems');
}

export function addSourceOptions(command: Command): Command {
  return command
    .optionsGroup('Data:')
    .addOption(choices('--source <name>', 'one of', sourceNames).default(defaults.source))
    .option('--upstream <url|dir>', 'other source; a folder for csv, snapshot, site')
    .option('--cache <dir>', 'disk cache; --no-cache for none', defaults.cache)
    .addOption(new Option('--no-cache').hideHelp())
    .addOption(concurrencyOption())
    .addOption(retriesOption())
    .option('--no-names', 'omit names in other languages')
    .option('--skip <record...>', 'leave records out, as <kind>/<id>')
    .option('--forget-history', 'start a new history, without redirects')
    .optionsGroup('Guards:')
    .addOption(numberOption('--max-shrink <percent>', SHRINK).default(defaults.maxShrink))
    .addOption(allowMissingOption())
    .addOption(numberOption('--max-age <days>', 'maximum age of the data'))
    .addOption(takeLockOption());
}
