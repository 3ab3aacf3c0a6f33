/** The same site by Eleventy: one template for the records, one for the list pages, and the other files copied. */

export default function configure(eleventy) {
  eleventy.ignores.add('extras');
  eleventy.addPassthroughCopy({ extras: '/' });
}
