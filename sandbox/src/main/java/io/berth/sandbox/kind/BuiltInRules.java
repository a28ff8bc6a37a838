package io.berth.sandbox.kind;

import io.berth.sandbox.admission.PodDefaults;
import io.berth.sandbox.release.KubernetesVersion;
import io.berth.sandbox.resource.ResourceType;
import io.berth.sandbox.schema.CustomResourceSchemaCompiler;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;

/** The rules of all built-in kinds. */
public final class BuiltInRules implements Function<ResourceType, KindRules> {
  private final Map<String, KindRules> rules = new HashMap<>();

  /**
   * Creates the rules.
   *
   * @param podDefaults sets the defaults of pods and pod templates
   * @param compiler checks the schemas of CustomResourceDefinitions
   * @param version Kubernetes version that the server emulates
   */
  public BuiltInRules(
      PodDefaults podDefaults, CustomResourceSchemaCompiler compiler, KubernetesVersion version) {
    rules.put("pods", new PodRules(podDefaults, version));
    rules.put("nodes", new NodeRules());
    rules.put("namespaces", new NamespaceRules());
    rules.put("services", new ServiceRules());
    rules.put("persistentvolumes", new VolumeRules("Available"));
    rules.put("persistentvolumeclaims", new VolumeRules("Pending"));
    rules.put("secrets", new SecretRules());
    rules.put("endpoints", PlainRules.CREATED_ON_UPDATE);
    rules.put("events", PlainRules.CREATED_ON_UPDATE);
    rules.put("events.events.k8s.io", PlainRules.CREATED_ON_UPDATE);
    for (WorkloadRules.Workload workload : WorkloadRules.Workload.values()) {
      rules.put(workload.resource(), new WorkloadRules(workload, podDefaults));
    }
    rules.put("jobs.batch", new JobRules(podDefaults));
    rules.put("cronjobs.batch", PlainRules.WITH_GENERATION);
    rules.put("leases.coordination.k8s.io", new LeaseRules());
    rules.put("poddisruptionbudgets.policy", new DisruptionBudgetRules());
    for (String role :
        new String[] {"roles", "rolebindings", "clusterroles", "clusterrolebindings"}) {
      rules.put(role + ".rbac.authorization.k8s.io", new RbacRules());
    }
    rules.put("limitranges", new LimitRangeRules());
    rules.put("resourcequotas", new ResourceQuotaRules());
    rules.put("priorityclasses.scheduling.k8s.io", new PriorityClassRules());
    rules.put("podgroups.scheduling.k8s.io", new PodGroupRules());
    rules.put("storageclasses.storage.k8s.io", new StorageClassRules());
    rules.put("mutatingwebhookconfigurations.admissionregistration.k8s.io", new WebhookRules(true));
    rules.put(
        "validatingwebhookconfigurations.admissionregistration.k8s.io", new WebhookRules(false));
    rules.put(
        "validatingadmissionpolicies.admissionregistration.k8s.io", new AdmissionPolicyRules());
    rules.put(
        "validatingadmissionpolicybindings.admissionregistration.k8s.io",
        new AdmissionPolicyBindingRules());
    rules.put("customresourcedefinitions.apiextensions.k8s.io", new DefinitionRules(compiler));
  }

  @Override
  public KindRules apply(ResourceType type) {
    return rules.getOrDefault(type.qualified(), KindRules.NONE);
  }
}
