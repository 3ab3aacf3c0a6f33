import { tracePixels } from '../glyph/trace-pixels.ts';
import { html, type Markup } from '../shared/html.ts';

/** The text of the front page's heading. Each line is one row of the lettering. */
const lines = ['Every Pokémon', 'move and item', 'has a URL.'] as const;

export const HEADLINE = lines.join(' ');

/** The headline in pixel letters. An `@` is a pixel in the color of links. */
const lettering = `
#####                           ####        #       #
#                               #   #       #      #
#     #   #  ###  # ## #   #    #   #  ###  #  #  ###  ### ##   ###  # ##
####  #   # #   # ##   #   #    ####  #   # # #  #   # #  #  # #   # ##  #
#     #   # ##### #    #   #    #     #   # ##   ##### #  #  # #   # #   #
#      # #  #     #    #   #    #     #   # # #  #     #  #  # #   # #   #
#####   #    #### #     ####    #      ###  #  #  #### #  #  #  ###  #   #
                           #
                        ###



                                             #    #  #
                                             #       #
### ##   ###  #   #  ###      ###  # ##   ####    # ####  ###  ### ##
#  #  # #   # #   # #   #        # ##  # #   #    #  #   #   # #  #  #
#  #  # #   # #   # #####     #### #   # #   #    #  #   ##### #  #  #
#  #  # #   #  # #  #        #   # #   # #   #    #  #   #     #  #  #
#  #  #  ###    #    ####     #### #   #  ####    #   ##  #### #  #  #





#                             @   @ @@@@  @
#                             @   @ @   @ @
# ##   ###   ####     ###     @   @ @   @ @
##  #     # #            #    @   @ @@@@  @
#   #  ####  ###      ####    @   @ @ @   @
#   # #   #     #    #   #    @   @ @  @  @
#   #  #### ####      ####     @@@  @   @ @@@@@ @
`;

/** Renders the lettering as a picture. The heading also contains its text. */
export function renderLettering(): Markup {
  // The text begins and ends with a line break, so the first and the last line are empty.
  const rows = lettering.split('\n').slice(1, -1);
  const width = Math.max(...rows.map((row) => row.length));
  const text = tracePixels(rows, /#+/g);
  const emphasis = tracePixels(rows, /@+/g);
  return html`<svg class="lettering" viewBox="0 0 ${width} ${rows.length}" shape-rendering="crispEdges" aria-hidden="true"><path d="${text}"/><path class="hot" d="${emphasis}"/></svg>`;
}
