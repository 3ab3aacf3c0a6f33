/**
 * Lets Eleventy generate the same site: it creates the records and list pages from
 * one template, and copies all other files.
 */

export default function configure(eleventy) {
  eleventy.ignores.add('extras');
  eleventy.addPassthroughCopy({ extras: '/' });
}
