package io.berth.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.fabric8.kubernetes.api.model.Namespaced;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.CustomResource;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.model.annotation.Group;
import io.fabric8.kubernetes.model.annotation.Version;
import io.javaoperatorsdk.operator.Operator;
import io.javaoperatorsdk.operator.api.reconciler.Cleaner;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.ControllerConfiguration;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.Reconciler;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.core.ConditionFactory;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** An operator based on the Java Operator SDK, with default settings. */
class OperatorSdkTest {
  private static final String DEFINITION =
      """
      apiVersion: apiextensions.k8s.io/v1
      kind: CustomResourceDefinition
      metadata: {name: gauges.sandbox.example.com}
      spec:
        group: sandbox.example.com
        scope: Namespaced
        names: {kind: Gauge, plural: gauges, singular: gauge}
        versions:
        - name: v1
          served: true
          storage: true
          subresources: {status: {}}
          schema:
            openAPIV3Schema:
              type: object
              properties:
                spec: {type: object, properties: {size: {type: integer}}}
                status: {type: object, properties: {doubled: {type: integer}}}
      """;

  /** The desired state. */
  record GaugeSpec(int size) {}

  /** The reported state. */
  record GaugeStatus(int doubled) {}

  /** The custom resource of this test. */
  @Group("sandbox.example.com")
  @Version("v1")
  public static final class Gauge extends CustomResource<GaugeSpec, GaugeStatus>
      implements Namespaced {
    private static final long serialVersionUID = 1L;
  }

  /**
   * A reconciler that fails once and then reports twice the size in the status. It cleans up with a
   * finalizer.
   */
  @ControllerConfiguration
  static final class Doubling implements Reconciler<Gauge>, Cleaner<Gauge> {
    private final AtomicInteger attempts = new AtomicInteger();
    private final AtomicInteger cleaned = new AtomicInteger();

    @Override
    public UpdateControl<Gauge> reconcile(Gauge gauge, Context<Gauge> context) {
      if (attempts.incrementAndGet() == 1) {
        throw new IllegalStateException("the first attempt fails");
      }
      Gauge received = named(gauge.getMetadata().getName());
      received.setStatus(new GaugeStatus(2 * gauge.getSpec().size()));
      return UpdateControl.patchStatus(received);
    }

    @Override
    public DeleteControl cleanup(Gauge gauge, Context<Gauge> context) {
      cleaned.incrementAndGet();
      return DeleteControl.defaultDelete();
    }
  }

  private static Gauge named(String name) {
    Gauge gauge = new Gauge();
    gauge.setMetadata(new ObjectMetaBuilder().withName(name).withNamespace("default").build());
    return gauge;
  }

  private static ConditionFactory eventually() {
    return await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(50));
  }

  @Test
  void reconciler_retriesPatchesTheStatusAndCleansUp() {
    try (Sandbox sandbox = Sandbox.start(SandboxOptions.defaults());
        KubernetesClient client =
            new KubernetesClientBuilder()
                .withConfig(Config.fromKubeconfig(sandbox.kubeconfig()))
                .build()) {
      client.resource(DEFINITION).create();
      Doubling doubling = new Doubling();
      Operator operator = new Operator(settings -> settings.withKubernetesClient(client));
      operator.register(doubling);
      operator.start();
      try {
        Gauge gauge = named("g");
        gauge.setSpec(new GaugeSpec(4));
        client.resource(gauge).create();

        eventually().untilAsserted(() -> assertThat(doubled(client)).isEqualTo(8));
        assertThat(doubling.attempts).hasValueGreaterThanOrEqualTo(2);
        Gauge live = client.resource(named("g")).get();
        assertThat(live.getMetadata().getFinalizers())
            .containsExactly("gauges.sandbox.example.com/finalizer");
        assertThat(live.getMetadata().getManagedFields())
            .anySatisfy(
                entry -> {
                  assertThat(entry.getOperation()).isEqualTo("Apply");
                  assertThat(entry.getSubresource()).isEqualTo("status");
                });

        client
            .resource(named("g"))
            .edit(
                current -> {
                  current.setSpec(new GaugeSpec(5));
                  return current;
                });
        eventually().untilAsserted(() -> assertThat(doubled(client)).isEqualTo(10));

        client.resource(named("g")).delete();
        eventually().untilAsserted(() -> assertThat(client.resource(named("g")).get()).isNull());
        assertThat(doubling.cleaned).hasValueGreaterThanOrEqualTo(1);
      } finally {
        operator.stop();
      }
    }
  }

  private static @Nullable Integer doubled(KubernetesClient client) {
    GaugeStatus status = client.resource(named("g")).get().getStatus();
    return status == null ? null : status.doubled();
  }
}
