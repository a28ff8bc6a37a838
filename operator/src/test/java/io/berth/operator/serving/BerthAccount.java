package io.berth.operator.serving;

import io.fabric8.kubernetes.api.model.rbac.ClusterRole;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBuilder;
import io.fabric8.kubernetes.api.model.rbac.PolicyRule;
import io.fabric8.kubernetes.api.model.rbac.PolicyRuleBuilder;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBuilder;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.dsl.Resource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The ServiceAccount of the manifests, with its permissions, some of which a test can revoke. */
final class BerthAccount implements AutoCloseable {

  private static final Path RIGHTS = Path.of("..", "deploy", "manifests", "30-rbac.yaml");
  private static final String ACCOUNT = "system:serviceaccount:berth-system:berth";

  private final KubernetesClient admin;
  private final KubernetesClient client;

  BerthAccount(KubernetesClient admin) throws IOException {
    this.admin = admin;
    try (InputStream yaml = Files.newInputStream(RIGHTS)) {
      admin.load(yaml).serverSideApply();
    }
    client =
        new KubernetesClientBuilder()
            .withConfig(
                new ConfigBuilder(admin.getConfiguration())
                    .withImpersonateUsername(ACCOUNT)
                    .build())
            .build();
  }

  /** A client that acts as the account. */
  KubernetesClient client() {
    return client;
  }

  /** Revokes all permissions on a resource; the returned callback restores them. */
  Runnable withhold(String resource) {
    List<PolicyRule> everywhere = clusterRole().get().getRules();
    List<PolicyRule> own = role().get().getRules();
    grant(without(resource, everywhere), without(resource, own));
    return () -> grant(everywhere, own);
  }

  private void grant(List<PolicyRule> everywhere, List<PolicyRule> own) {
    clusterRole().edit(held -> new ClusterRoleBuilder(held).withRules(everywhere).build());
    role().edit(held -> new RoleBuilder(held).withRules(own).build());
  }

  private Resource<ClusterRole> clusterRole() {
    return admin.rbac().clusterRoles().withName("berth");
  }

  private Resource<Role> role() {
    return admin.rbac().roles().inNamespace("berth-system").withName("berth");
  }

  private static List<PolicyRule> without(String resource, List<PolicyRule> rules) {
    return rules.stream()
        .map(
            rule ->
                new PolicyRuleBuilder(rule)
                    .withResources(
                        rule.getResources().stream().filter(r -> !r.equals(resource)).toList())
                    .build())
        .filter(rule -> !rule.getResources().isEmpty())
        .toList();
  }

  @Override
  public void close() {
    client.close();
  }
}
