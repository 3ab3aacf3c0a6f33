/**
 * The same site by Eleventy: one template for what is made of records, and the other
 * files copied.
 */

export default function configure(eleventy) {
  eleventy.ignores.add('extras');
  eleventy.addPassthroughCopy({ extras: '/' });
}
