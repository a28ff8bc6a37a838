package io.berth.sandbox.admission;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.berth.rules.DefaultTolerations;
import io.berth.sandbox.admission.policy.ValidatingPolicies;
import io.berth.sandbox.admission.webhook.ServiceResolver;
import io.berth.sandbox.admission.webhook.WebhookDispatcher;
import io.berth.sandbox.auth.RbacAuthorizer;
import io.berth.sandbox.failure.Failures;
import io.berth.sandbox.release.KubernetesVersion;
import io.berth.sandbox.release.ServerFeature;
import io.berth.sandbox.resource.ResourceRegistry;
import io.berth.sandbox.store.Json;
import io.berth.sandbox.store.ObjectKey;
import io.berth.sandbox.store.ObjectStore;
import java.util.function.Consumer;

/**
 * The admission chain: LimitRanger, ServiceAccount, Priority, PodTopologyLabels, RuntimeClass, and
 * DefaultTolerationSeconds, then the mutating webhooks. After these, LimitRange bounds and
 * RuntimeClass overhead are validated, as is the right to write a claim's status. Then validating
 * policies are evaluated, validating webhooks are called and, last, ResourceQuotas are charged. A
 * pod changed by a webhook is defaulted again, as the API server does when it decodes the patched
 * object.
 */
public final class Admission implements AdmissionChain, AutoCloseable {
  private final KubernetesVersion version;
  private final ObjectStore store;
  private final ResourceRegistry registry;
  private final PriorityPlugin priority;
  private final TopologyLabels topologyLabels;
  private final RuntimeClassPlugin runtimeClasses;
  private final LimitRanger limitRanger;
  private final QuotaAdmission quotas;
  private final ClaimAccess claims;
  private final ValidatingPolicies policies;
  private final WebhookDispatcher webhooks;

  /**
   * Creates an admission chain over a store.
   *
   * @param authorizer decides which parts of a claim's status a caller may write
   * @param services resolves the addresses of webhooks that are referenced by Service
   * @param version Kubernetes version that the server emulates
   */
  public Admission(
      ObjectStore store,
      ResourceRegistry registry,
      RbacAuthorizer authorizer,
      ServiceResolver services,
      KubernetesVersion version) {
    this.version = version;
    this.store = store;
    this.registry = registry;
    this.priority = new PriorityPlugin(store, registry);
    this.topologyLabels = new TopologyLabels(store, registry);
    this.runtimeClasses = new RuntimeClassPlugin(store, registry);
    this.limitRanger = new LimitRanger(store, registry);
    this.quotas = new QuotaAdmission(store, registry);
    this.claims = new ClaimAccess(store, registry, authorizer, version);
    this.policies = new ValidatingPolicies(store, registry);
    this.webhooks = new WebhookDispatcher(store, registry, services);
  }

  @Override
  public ObjectNode mutate(AdmissionRequest request, Consumer<ObjectNode> defaults) {
    if (request.object().isEmpty()) {
      return Json.object();
    }
    ObjectNode object = request.object().get();
    boolean pods = request.type().is("", "pods") && request.subresource().isEmpty();
    plugins(request, object, pods);
    return webhooks.mutate(
        request,
        changed -> {
          if (pods && request.operation() == Operation.CREATE) {
            changed.remove("status");
            priority.admitPod(request, changed);
          }
          defaults.accept(changed);
        });
  }

  private void plugins(AdmissionRequest request, ObjectNode object, boolean pods) {
    if (pods) {
      if (request.operation() == Operation.CREATE) {
        limitRanger.applyDefaults(request, object);
        serviceAccount(request, object.withObject("spec"));
      }
      priority.admitPod(request, object);
      if (request.operation() == Operation.CREATE) {
        if (ServerFeature.LABELS_OF_BINDINGS.isIn(version)) {
          topologyLabels.copy(object.path("spec").path("nodeName").asText(), object);
        }
        runtimeClasses.admit(request, object.withObject("spec"));
      }
      DefaultTolerations.add(object.withObject("spec"));
    } else if (request.type().is("scheduling.k8s.io", "podgroups")
        && !request.type().custom()
        && request.operation() == Operation.CREATE) {
      priority.admitGroup(request, object.withObject("spec"));
    } else if (request.type().is("scheduling.k8s.io", "priorityclasses")
        && request.operation() != Operation.DELETE) {
      priority.admitClass(request, object);
    }
  }

  private void serviceAccount(AdmissionRequest request, ObjectNode spec) {
    String name = spec.path("serviceAccountName").asText("");
    if (name.isEmpty()) {
      name = "default";
    } else if (!name.equals("default")
        && store
            .get(
                registry.builtIn("", "serviceaccounts").storage(),
                new ObjectKey(request.namespace(), name))
            .isEmpty()) {
      throw Failures.forbidden(
          request.type().qualified(),
          request.name(),
          "error looking up service account "
              + request.namespace()
              + "/"
              + name
              + ": serviceaccount \""
              + name
              + "\" not found");
    }
    spec.put("serviceAccountName", name).put("serviceAccount", name);
  }

  @Override
  public void validate(AdmissionRequest request) {
    if (request.operation() == Operation.CREATE && request.subresource().isEmpty()) {
      request.object().ifPresent(object -> bounds(request, object));
    }
    claims.validate(request);
    policies.validate(request);
    webhooks.validate(request);
    quotas.charge(request);
  }

  private void bounds(AdmissionRequest request, ObjectNode object) {
    if (request.type().is("", "pods")) {
      limitRanger.validate(request, object);
      runtimeClasses.validate(request, object.path("spec"));
    } else if (request.type().is("", "persistentvolumeclaims")) {
      limitRanger.validate(request, object);
    }
  }

  /** Closes the connections to webhooks. */
  @Override
  public void close() {
    webhooks.close();
  }
}
