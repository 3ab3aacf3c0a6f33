/** The reference: the site's OpenAPI document in Swagger UI, as a text to be read. Requests are made in the browsable form. */

const nothing = () => () => null;

/** Without a way to send requests, choosing servers and filling in parameters would lead nowhere. */
const reading = {
  wrapComponents: {
    ServersContainer: nothing,
    JsonSchemaForm: nothing,
    authorizeBtn: nothing,
    // Outside of every landmark otherwise: readers of screens go from one to the next.
    InfoContainer:
      (Original, { React }) =>
      (props) =>
        React.createElement('section', { 'aria-label': 'About' }, React.createElement(Original, props)),
  },
};

globalThis.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#reference',
  supportedSubmitMethods: [],
  validatorUrl: null,
  deepLinking: false,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  plugins: [reading],
  layout: 'BaseLayout',
});
