/** The reference: the site's OpenAPI document in Swagger UI, read-only. Requests can be tried in the browsable pages. */

const nothing = () => () => null;

/** Without requests, there is no use for choosing servers and filling in parameters. */
const reading = {
  wrapComponents: {
    ServersContainer: nothing,
    JsonSchemaForm: nothing,
    authorizeBtn: nothing,
    // Otherwise outside every landmark, which screen readers navigate by.
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
