package io.berth.sandbox.resource;

import io.berth.sandbox.store.SelectableField;
import io.berth.sandbox.store.Storage;
import io.fabric8.kubernetes.api.model.Binding;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Endpoints;
import io.fabric8.kubernetes.api.model.LimitRange;
import io.fabric8.kubernetes.api.model.Namespace;
import io.fabric8.kubernetes.api.model.Node;
import io.fabric8.kubernetes.api.model.PersistentVolume;
import io.fabric8.kubernetes.api.model.PersistentVolumeClaim;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodTemplate;
import io.fabric8.kubernetes.api.model.ReplicationController;
import io.fabric8.kubernetes.api.model.ResourceQuota;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.MutatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.admissionregistration.v1.ValidatingWebhookConfiguration;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apps.ControllerRevision;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.ReplicaSet;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.authentication.SelfSubjectReview;
import io.fabric8.kubernetes.api.model.authentication.TokenReview;
import io.fabric8.kubernetes.api.model.authorization.v1.LocalSubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectRulesReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SubjectAccessReview;
import io.fabric8.kubernetes.api.model.batch.v1.CronJob;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.coordination.v1.Lease;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.flowcontrol.v1.FlowSchema;
import io.fabric8.kubernetes.api.model.flowcontrol.v1.PriorityLevelConfiguration;
import io.fabric8.kubernetes.api.model.node.v1.RuntimeClass;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBinding;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import io.fabric8.kubernetes.api.model.scheduling.v1.PriorityClass;
import io.fabric8.kubernetes.api.model.storage.CSIDriver;
import io.fabric8.kubernetes.api.model.storage.CSINode;
import io.fabric8.kubernetes.api.model.storage.CSIStorageCapacity;
import io.fabric8.kubernetes.api.model.storage.StorageClass;
import io.fabric8.kubernetes.api.model.storage.VolumeAttachment;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The resources that every server of this kind has. */
public final class BuiltInResources {
  /** The verbs of a stored resource. */
  public static final Set<String> ALL_VERBS =
      Set.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");

  private static final Set<String> CREATE_ONLY = Set.of("create");
  private static final List<SelectableField> METADATA =
      List.of(SelectableField.of("metadata.name"), SelectableField.of("metadata.namespace"));

  private final List<BuiltIn> resources = new ArrayList<>();

  private BuiltInResources() {}

  /** All of them. */
  public static List<BuiltIn> all() {
    BuiltInResources made = new BuiltInResources();
    made.core();
    made.apps();
    made.batch();
    made.policies();
    made.storage();
    made.reviews();
    made.events();
    return List.copyOf(made.resources);
  }

  private void core() {
    group("", "v1");
    add(Pod.class, "pods")
        .names("po")
        .all()
        .fields(podFields())
        .subresources(
            "status",
            "attach",
            "binding",
            "ephemeralcontainers",
            "eviction",
            "exec",
            "log",
            "portforward",
            "proxy",
            "resize")
        .register();
    add(Node.class, "nodes")
        .cluster()
        .names("no")
        .subresources("status")
        .fields(
            List.of(
                new SelectableField("spec.unschedulable", "spec.unschedulable", "false", false)))
        .register();
    add(Namespace.class, "namespaces")
        .cluster()
        .names("ns")
        .subresources("status", "finalize")
        .fields(List.of(SelectableField.of("status.phase")))
        .register();
    add(Service.class, "services")
        .names("svc")
        .all()
        .subresources("status")
        .fields(List.of(SelectableField.of("spec.clusterIP"), SelectableField.of("spec.type")))
        .register();
    add(ConfigMap.class, "configmaps").names("cm").register();
    add(Secret.class, "secrets").fields(List.of(SelectableField.of("type"))).register();
    add(ServiceAccount.class, "serviceaccounts").names("sa").subresources("token").register();
    add(PersistentVolume.class, "persistentvolumes")
        .cluster()
        .names("pv")
        .subresources("status")
        .register();
    add(PersistentVolumeClaim.class, "persistentvolumeclaims")
        .names("pvc")
        .subresources("status")
        .register();
    add(ReplicationController.class, "replicationcontrollers")
        .names("rc")
        .all()
        .subresources("status", "scale")
        .fields(List.of(new SelectableField("status.replicas", "status.replicas", "0", false)))
        .register();
    add(Endpoints.class, "endpoints").names("ep").singular("endpoints").register();
    add(LimitRange.class, "limitranges").names("limits").register();
    add(ResourceQuota.class, "resourcequotas").names("quota").subresources("status").register();
    add(PodTemplate.class, "podtemplates").register();
    add(Binding.class, "bindings").verbs(CREATE_ONLY).register();
  }

  private static List<SelectableField> podFields() {
    return List.of(
        SelectableField.indexed("spec.nodeName"),
        SelectableField.of("spec.restartPolicy"),
        SelectableField.of("spec.schedulerName"),
        SelectableField.of("spec.serviceAccountName"),
        new SelectableField("spec.hostNetwork", "spec.hostNetwork", "false", false),
        SelectableField.of("status.phase"),
        SelectableField.of("status.podIP"),
        SelectableField.of("status.nominatedNodeName"));
  }

  private void apps() {
    group("apps", "v1");
    add(Deployment.class, "deployments")
        .names("deploy")
        .all()
        .subresources("status", "scale")
        .register();
    add(ReplicaSet.class, "replicasets")
        .names("rs")
        .all()
        .subresources("status", "scale")
        .fields(List.of(new SelectableField("status.replicas", "status.replicas", "0", false)))
        .register();
    add(StatefulSet.class, "statefulsets")
        .names("sts")
        .all()
        .subresources("status", "scale")
        .register();
    add(DaemonSet.class, "daemonsets").names("ds").all().subresources("status").register();
    add(ControllerRevision.class, "controllerrevisions").register();
  }

  private void batch() {
    group("batch", "v1");
    add(Job.class, "jobs")
        .all()
        .subresources("status")
        .fields(List.of(new SelectableField("status.successful", "status.succeeded", "0", false)))
        .register();
    add(CronJob.class, "cronjobs").names("cj").all().subresources("status").register();
  }

  private void policies() {
    group("coordination.k8s.io", "v1");
    add(Lease.class, "leases").register();
    group("discovery.k8s.io", "v1");
    add(EndpointSlice.class, "endpointslices").register();
    group("policy", "v1");
    add(PodDisruptionBudget.class, "poddisruptionbudgets")
        .names("pdb")
        .subresources("status")
        .register();
    group("rbac.authorization.k8s.io", "v1");
    add(Role.class, "roles").register();
    add(RoleBinding.class, "rolebindings").register();
    add(ClusterRole.class, "clusterroles").cluster().register();
    add(ClusterRoleBinding.class, "clusterrolebindings").cluster().register();
    group("scheduling.k8s.io", "v1");
    add(PriorityClass.class, "priorityclasses").cluster().names("pc").register();
    group("flowcontrol.apiserver.k8s.io", "v1");
    add(FlowSchema.class, "flowschemas").cluster().subresources("status").register();
    add(PriorityLevelConfiguration.class, "prioritylevelconfigurations")
        .cluster()
        .subresources("status")
        .register();
    group("node.k8s.io", "v1");
    add(RuntimeClass.class, "runtimeclasses").cluster().register();
    group("admissionregistration.k8s.io", "v1");
    add(MutatingWebhookConfiguration.class, "mutatingwebhookconfigurations")
        .cluster()
        .categories("api-extensions")
        .register();
    add(ValidatingWebhookConfiguration.class, "validatingwebhookconfigurations")
        .cluster()
        .categories("api-extensions")
        .register();
    group("apiextensions.k8s.io", "v1");
    add(CustomResourceDefinition.class, "customresourcedefinitions")
        .cluster()
        .names("crd", "crds")
        .categories("api-extensions")
        .subresources("status")
        .register();
  }

  private void storage() {
    group("storage.k8s.io", "v1");
    add(StorageClass.class, "storageclasses").cluster().names("sc").register();
    add(CSINode.class, "csinodes").cluster().register();
    add(CSIDriver.class, "csidrivers").cluster().register();
    add(CSIStorageCapacity.class, "csistoragecapacities").register();
    add(VolumeAttachment.class, "volumeattachments").cluster().subresources("status").register();
  }

  private void reviews() {
    group("authentication.k8s.io", "v1");
    add(TokenReview.class, "tokenreviews").cluster().verbs(CREATE_ONLY).register();
    add(SelfSubjectReview.class, "selfsubjectreviews").cluster().verbs(CREATE_ONLY).register();
    group("authorization.k8s.io", "v1");
    add(SubjectAccessReview.class, "subjectaccessreviews").cluster().verbs(CREATE_ONLY).register();
    add(SelfSubjectAccessReview.class, "selfsubjectaccessreviews")
        .cluster()
        .verbs(CREATE_ONLY)
        .register();
    add(SelfSubjectRulesReview.class, "selfsubjectrulesreviews")
        .cluster()
        .verbs(CREATE_ONLY)
        .register();
    add(LocalSubjectAccessReview.class, "localsubjectaccessreviews").verbs(CREATE_ONLY).register();
  }

  /** Both views of events share one storage, which holds the core form. */
  private void events() {
    List<SelectableField> core = new ArrayList<>();
    for (String part :
        List.of("kind", "namespace", "uid", "apiVersion", "resourceVersion", "fieldPath")) {
      core.add(SelectableField.of("involvedObject." + part));
    }
    core.add(SelectableField.indexed("involvedObject.name"));
    for (String name : List.of("reason", "type", "reportingComponent", "source")) {
      core.add(
          new SelectableField(name, name.equals("source") ? "source.component" : name, "", false));
    }
    core.add(new SelectableField("reportingController", "reportingComponent", "", false));
    for (String part :
        List.of("kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath")) {
      core.add(new SelectableField("regarding." + part, "involvedObject." + part, "", false));
    }
    group("", "v1");
    add(io.fabric8.kubernetes.api.model.Event.class, "events").names("ev").fields(core).register();
    Storage shared = resources.getLast().type().storage();
    group("events.k8s.io", "v1");
    add(io.fabric8.kubernetes.api.model.events.v1.Event.class, "events")
        .names("ev")
        .storage(shared)
        .register();
  }

  private String group = "";
  private String version = "";

  private void group(String name, String inVersion) {
    group = name;
    version = inVersion;
  }

  private Draft add(Class<?> model, String plural) {
    return new Draft(model, plural);
  }

  /** One resource while its parts are being named. */
  private final class Draft {
    private final Class<?> model;
    private final String plural;
    private String singular;
    private boolean namespaced = true;
    private List<String> shortNames = List.of();
    private List<String> categories = List.of();
    private Set<String> subresources = Set.of();
    private Set<String> verbs = ALL_VERBS;
    private Storage storage;

    Draft(Class<?> model, String plural) {
      this.model = model;
      this.plural = plural;
      this.singular = model.getSimpleName().toLowerCase(Locale.ROOT);
      this.storage = new Storage(id(), METADATA);
    }

    private String id() {
      return group.isEmpty() ? plural : group + "/" + plural;
    }

    Draft names(String... names) {
      shortNames = List.of(names);
      return this;
    }

    Draft singular(String name) {
      singular = name;
      return this;
    }

    Draft all() {
      return categories("all");
    }

    Draft categories(String... names) {
      categories = List.of(names);
      return this;
    }

    Draft cluster() {
      namespaced = false;
      return this;
    }

    Draft subresources(String... names) {
      subresources = Set.of(names);
      return this;
    }

    Draft verbs(Set<String> only) {
      verbs = only;
      return this;
    }

    Draft fields(List<SelectableField> more) {
      List<SelectableField> fields = new ArrayList<>(METADATA);
      fields.addAll(more);
      storage = new Storage(id(), fields);
      return this;
    }

    Draft storage(Storage other) {
      storage = other;
      return this;
    }

    void register() {
      resources.add(
          new BuiltIn(
              new ResourceType(
                  group,
                  version,
                  model.getSimpleName(),
                  plural,
                  singular,
                  namespaced,
                  shortNames,
                  categories,
                  subresources,
                  verbs,
                  storage,
                  false),
              model));
    }
  }
}
