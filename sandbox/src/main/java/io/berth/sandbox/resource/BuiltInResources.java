package io.berth.sandbox.resource;

import io.berth.sandbox.release.KubernetesVersion;
import io.berth.sandbox.release.ServerFeature;
import io.berth.sandbox.store.SelectableField;
import io.berth.sandbox.store.Storage;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/** The built-in resources of the server. */
public final class BuiltInResources {
  /** The verbs of a stored resource. */
  public static final Set<String> ALL_VERBS =
      Set.of("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");

  private static final Set<String> CREATE_ONLY = Set.of("create");
  private static final List<SelectableField> METADATA =
      List.of(SelectableField.of("metadata.name"), SelectableField.of("metadata.namespace"));

  private final List<ResourceType> resources = new ArrayList<>();

  private final KubernetesVersion server;

  private BuiltInResources(KubernetesVersion server) {
    this.server = server;
  }

  /** Returns the built-in resources of the standard version. */
  public static List<ResourceType> all() {
    return of(KubernetesVersion.standard());
  }

  /** Returns the built-in resources of a version. */
  public static List<ResourceType> of(KubernetesVersion version) {
    BuiltInResources made = new BuiltInResources(version);
    made.core();
    made.apps();
    made.batch();
    made.policies();
    made.storage();
    made.devices();
    made.reviews();
    made.events();
    return List.copyOf(made.resources);
  }

  private void core() {
    group("", "v1");
    add("Pod", "pods")
        .names("po")
        .all()
        .fields(podFields())
        .subresources(podSubresources())
        .register();
    add("Node", "nodes")
        .cluster()
        .names("no")
        .subresources("status")
        .fields(
            List.of(
                new SelectableField("spec.unschedulable", "spec.unschedulable", "false", false)))
        .register();
    add("Namespace", "namespaces")
        .cluster()
        .names("ns")
        .subresources("status", "finalize")
        .fields(List.of(SelectableField.of("status.phase")))
        .register();
    add("Service", "services")
        .names("svc")
        .all()
        .subresources("status")
        .fields(List.of(SelectableField.of("spec.clusterIP"), SelectableField.of("spec.type")))
        .register();
    add("ConfigMap", "configmaps").names("cm").register();
    add("Secret", "secrets").fields(List.of(SelectableField.of("type"))).register();
    add("ServiceAccount", "serviceaccounts").names("sa").subresources("token").register();
    add("PersistentVolume", "persistentvolumes")
        .cluster()
        .names("pv")
        .subresources("status")
        .register();
    add("PersistentVolumeClaim", "persistentvolumeclaims")
        .names("pvc")
        .subresources("status")
        .register();
    add("ReplicationController", "replicationcontrollers")
        .names("rc")
        .all()
        .subresources("status", "scale")
        .fields(List.of(new SelectableField("status.replicas", "status.replicas", "0", false)))
        .register();
    add("Endpoints", "endpoints").names("ep").singular("endpoints").register();
    add("LimitRange", "limitranges").names("limits").register();
    add("ResourceQuota", "resourcequotas").names("quota").subresources("status").register();
    add("PodTemplate", "podtemplates").register();
    add("Binding", "bindings").verbs(CREATE_ONLY).register();
  }

  private String[] podSubresources() {
    List<String> names =
        new ArrayList<>(
            List.of(
                "status",
                "attach",
                "binding",
                "ephemeralcontainers",
                "eviction",
                "exec",
                "log",
                "portforward",
                "proxy"));
    if (ServerFeature.RESIZE.isIn(server)) {
      names.add("resize");
    }
    return names.toArray(String[]::new);
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
    add("Deployment", "deployments")
        .names("deploy")
        .all()
        .subresources("status", "scale")
        .register();
    add("ReplicaSet", "replicasets")
        .names("rs")
        .all()
        .subresources("status", "scale")
        .fields(List.of(new SelectableField("status.replicas", "status.replicas", "0", false)))
        .register();
    add("StatefulSet", "statefulsets")
        .names("sts")
        .all()
        .subresources("status", "scale")
        .register();
    add("DaemonSet", "daemonsets").names("ds").all().subresources("status").register();
    add("ControllerRevision", "controllerrevisions").register();
  }

  private void batch() {
    group("batch", "v1");
    add("Job", "jobs")
        .all()
        .subresources("status")
        .fields(List.of(new SelectableField("status.successful", "status.succeeded", "0", false)))
        .register();
    add("CronJob", "cronjobs").names("cj").all().subresources("status").register();
  }

  private void policies() {
    group("coordination.k8s.io", "v1");
    add("Lease", "leases").register();
    group("discovery.k8s.io", "v1");
    add("EndpointSlice", "endpointslices").register();
    group("policy", "v1");
    add("PodDisruptionBudget", "poddisruptionbudgets")
        .names("pdb")
        .subresources("status")
        .register();
    group("rbac.authorization.k8s.io", "v1");
    add("Role", "roles").register();
    add("RoleBinding", "rolebindings").register();
    add("ClusterRole", "clusterroles").cluster().register();
    add("ClusterRoleBinding", "clusterrolebindings").cluster().register();
    group("scheduling.k8s.io", "v1");
    add("PriorityClass", "priorityclasses").cluster().names("pc").register();
    if (ServerFeature.POD_GROUPS.isIn(server)) {
      group("scheduling.k8s.io", "v1beta1");
      add("PodGroup", "podgroups").subresources("status").register();
      add("Workload", "workloads").register();
    }
    group("apiregistration.k8s.io", "v1");
    add("APIService", "apiservices").cluster().subresources("status").register();
    group("flowcontrol.apiserver.k8s.io", "v1");
    add("FlowSchema", "flowschemas").cluster().subresources("status").register();
    add("PriorityLevelConfiguration", "prioritylevelconfigurations")
        .cluster()
        .subresources("status")
        .register();
    group("node.k8s.io", "v1");
    add("RuntimeClass", "runtimeclasses").cluster().register();
    group("admissionregistration.k8s.io", "v1");
    add("MutatingWebhookConfiguration", "mutatingwebhookconfigurations")
        .cluster()
        .categories("api-extensions")
        .register();
    add("ValidatingWebhookConfiguration", "validatingwebhookconfigurations")
        .cluster()
        .categories("api-extensions")
        .register();
    add("ValidatingAdmissionPolicy", "validatingadmissionpolicies")
        .cluster()
        .categories("api-extensions")
        .subresources("status")
        .register();
    add("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings")
        .cluster()
        .categories("api-extensions")
        .register();
    group("apiextensions.k8s.io", "v1");
    add("CustomResourceDefinition", "customresourcedefinitions")
        .cluster()
        .names("crd", "crds")
        .categories("api-extensions")
        .subresources("status")
        .register();
  }

  private void storage() {
    group("storage.k8s.io", "v1");
    add("StorageClass", "storageclasses").cluster().names("sc").register();
    add("CSINode", "csinodes").cluster().register();
    add("CSIDriver", "csidrivers").cluster().register();
    add("CSIStorageCapacity", "csistoragecapacities").register();
    add("VolumeAttachment", "volumeattachments").cluster().subresources("status").register();
  }

  private void devices() {
    group("resource.k8s.io", "v1");
    add("DeviceClass", "deviceclasses").cluster().register();
    add("ResourceClaim", "resourceclaims").subresources("status").register();
    add("ResourceClaimTemplate", "resourceclaimtemplates").register();
    add("ResourceSlice", "resourceslices")
        .cluster()
        .fields(List.of(SelectableField.of("spec.nodeName"), SelectableField.of("spec.driver")))
        .register();
    if (ServerFeature.DEVICE_TAINT_RULES.isIn(server)) {
      add("DeviceTaintRule", "devicetaintrules").cluster().subresources("status").register();
    }
  }

  private void reviews() {
    group("authentication.k8s.io", "v1");
    add("TokenReview", "tokenreviews").cluster().verbs(CREATE_ONLY).register();
    add("SelfSubjectReview", "selfsubjectreviews").cluster().verbs(CREATE_ONLY).register();
    group("authorization.k8s.io", "v1");
    add("SubjectAccessReview", "subjectaccessreviews").cluster().verbs(CREATE_ONLY).register();
    add("SelfSubjectAccessReview", "selfsubjectaccessreviews")
        .cluster()
        .verbs(CREATE_ONLY)
        .register();
    add("SelfSubjectRulesReview", "selfsubjectrulesreviews")
        .cluster()
        .verbs(CREATE_ONLY)
        .register();
    add("LocalSubjectAccessReview", "localsubjectaccessreviews").verbs(CREATE_ONLY).register();
  }

  /** Adds both event resources. They share one storage, which holds core/v1 Events. */
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
    add("Event", "events").names("ev").fields(core).register();
    Storage shared = resources.getLast().storage();
    group("events.k8s.io", "v1");
    add("Event", "events").names("ev").storage(shared).register();
  }

  private String group = "";
  private String version = "";

  private void group(String name, String inVersion) {
    group = name;
    version = inVersion;
  }

  private Draft add(String kind, String plural) {
    return new Draft(kind, plural);
  }

  /** A builder of a resource type. */
  private final class Draft {
    private final String kind;
    private final String plural;
    private String singular;
    private boolean namespaced = true;
    private List<String> shortNames = List.of();
    private List<String> categories = List.of();
    private Set<String> subresources = Set.of();
    private Set<String> verbs = ALL_VERBS;
    private Storage storage;

    Draft(String kind, String plural) {
      this.kind = kind;
      this.plural = plural;
      this.singular = kind.toLowerCase(Locale.ROOT);
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
          new ResourceType(
              group,
              version,
              kind,
              plural,
              singular,
              namespaced,
              shortNames,
              categories,
              subresources,
              verbs,
              storage,
              false));
    }
  }
}
