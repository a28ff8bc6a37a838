package io.berth.demo.soak;

import io.berth.demo.tenants.Disturbances.Webhook;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfigurationBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/**
 * Webhooks of other vendors for the Bindings of a namespace, which hang, refuse connections, or are
 * slow. Behind them is a port at which nobody answers.
 */
final class BindingWebhooks implements AutoCloseable {
  private static final int HANGS_SECONDS = 10;
  private static final int SLOW_SECONDS = 2;
  private static final int CLOSED_PORT = 1;

  /** The kernel accepts this many connections, to which nobody answers. */
  private static final int BACKLOG = 1_000;

  private final KubernetesClient admin;
  private final ServerSocket silent;

  BindingWebhooks(KubernetesClient admin) throws IOException {
    this.admin = admin;
    this.silent = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
  }

  void set(String namespace, Webhook state) {
    switch (state) {
      case WELL, FAILS_LATE, DENIES_BINDINGS, DENIES_EVICTIONS -> remove(namespace);
      case REFUSES_CONNECTIONS, HANGS, SLOW -> {
        ValidatingWebhookConfiguration wanted = configuration(namespace, state);
        admin.resource(wanted).forceConflicts().serverSideApply();
      }
    }
  }

  void remove(String namespace) {
    admin.resources(ValidatingWebhookConfiguration.class).withName(name(namespace)).delete();
  }

  private static String name(String namespace) {
    return "soak-" + namespace;
  }

  private ValidatingWebhookConfiguration configuration(String namespace, Webhook state) {
    int port = state == Webhook.REFUSES_CONNECTIONS ? CLOSED_PORT : silent.getLocalPort();
    return new ValidatingWebhookConfigurationBuilder()
        .withNewMetadata()
        .withName(name(namespace))
        .endMetadata()
        .addNewWebhook()
        .withName("bindings.soak.berth.io")
        .withNewClientConfig()
        .withUrl("https://127.0.0.1:" + port + "/")
        .endClientConfig()
        .withNewNamespaceSelector()
        .addToMatchLabels("kubernetes.io/metadata.name", namespace)
        .endNamespaceSelector()
        .addNewRule()
        .withApiGroups("")
        .withApiVersions("v1")
        .withOperations("CREATE")
        .withResources("pods/binding")
        .endRule()
        .withFailurePolicy(state == Webhook.SLOW ? "Ignore" : "Fail")
        .withTimeoutSeconds(state == Webhook.SLOW ? SLOW_SECONDS : HANGS_SECONDS)
        .withSideEffects("None")
        .withAdmissionReviewVersions("v1")
        .endWebhook()
        .build();
  }

  @Override
  public void close() throws IOException {
    silent.close();
  }
}
