package payments.sandbox;

import org.junit.jupiter.api.extension.*;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;

/**
 * {@code @ExtendWith(SandboxExtension.class)} gives each test a workspace of its own, as a parameter of the type
 * {@link Sandbox}, and deletes it after the test. All tests share one sandbox: the one that
 * {@code PAYMENTS_SANDBOX_URL} names, or one that stops when the tests have ended.
 */
public final class SandboxExtension implements ParameterResolver, AfterTestExecutionCallback, AfterEachCallback {
  private static final Namespace NAMESPACE = Namespace.create(SandboxExtension.class);

  private static SandboxServer server;

  private static synchronized SandboxServer server() {
    if (server == null) server = SandboxServer.find(System.getenv());
    return server;
  }

  @Override
  public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
    return parameter.getParameter().getType() == Sandbox.class && context.getTestMethod().isPresent();
  }

  @Override
  public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
    ExtensionContext.Store store = context.getStore(NAMESPACE);
    if (store.get("sandbox") == null) store.put("sandbox", server().createWorkspace());
    return store.get("sandbox");
  }

  /** Prints the calls and the webhooks of a failed test: Maven and Gradle show them beside its failure. */
  @Override
  public void afterTestExecution(ExtensionContext context) {
    Sandbox sandbox = context.getStore(NAMESPACE).get("sandbox", Sandbox.class);
    if (sandbox == null || context.getExecutionException().isEmpty()) return;
    String test = context.getRequiredTestClass().getSimpleName() + "." + context.getDisplayName();
    System.out.println(test + " failed\n" + Report.of(sandbox));
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Sandbox sandbox = context.getStore(NAMESPACE).remove("sandbox", Sandbox.class);
    if (sandbox != null) sandbox.close();
  }
}
