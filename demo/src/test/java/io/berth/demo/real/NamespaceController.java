package io.berth.demo.real;

import io.berth.demo.cluster.Kubeconfig;
import io.fabric8.kubernetes.api.model.ServiceAccountBuilder;
import io.fabric8.kubernetes.api.model.rbac.ClusterRoleBindingBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The controller that deletes what is in deleted namespaces: kube-controller-manager, with this
 * controller alone.
 */
final class NamespaceController implements AutoCloseable {
  private static final String NAME = "namespace-controller-of-the-test";
  private static final String NAMESPACE = "kube-system";

  private final Process process;
  private final KubernetesClient admin;

  private NamespaceController(Process process, KubernetesClient admin) {
    this.process = process;
    this.admin = admin;
  }

  /** Returns the binary in KUBE_API_TEST_DIR; empty if it is not there. */
  static Optional<Path> binary() {
    return Optional.ofNullable(System.getenv("KUBE_API_TEST_DIR"))
        .filter(folder -> !folder.isBlank())
        .map(folder -> Path.of(folder).toAbsolutePath().resolve("kube-controller-manager"))
        .filter(Files::isExecutable);
  }

  /**
   * Starts the controller.
   *
   * @param admin client with permission to grant every right
   * @param folder a folder for its kubeconfig and its log
   */
  static NamespaceController start(KubernetesClient admin, Path folder) throws IOException {
    admin
        .resource(
            new ServiceAccountBuilder()
                .withNewMetadata()
                .withName(NAME)
                .withNamespace(NAMESPACE)
                .endMetadata()
                .build())
        .create();
    admin
        .resource(
            new ClusterRoleBindingBuilder()
                .withNewMetadata()
                .withName(NAME)
                .endMetadata()
                .withNewRoleRef("rbac.authorization.k8s.io", "ClusterRole", "cluster-admin")
                .addNewSubject("", "ServiceAccount", NAME, NAMESPACE)
                .build())
        .create();
    String token =
        admin
            .serviceAccounts()
            .inNamespace(NAMESPACE)
            .withName(NAME)
            .tokenRequest()
            .getStatus()
            .getToken();
    Path kubeconfig =
        Files.writeString(
            folder.resolve("controller.kubeconfig"),
            Kubeconfig.of(admin.getConfiguration(), token));
    Process process =
        new ProcessBuilder(
                binary().orElseThrow().toString(),
                "--kubeconfig=" + kubeconfig,
                "--controllers=namespace-controller",
                "--leader-elect=false",
                "--secure-port=0")
            .redirectErrorStream(true)
            .redirectOutput(folder.resolve("controller.log").toFile())
            .start();
    return new NamespaceController(process, admin);
  }

  @Override
  public void close() {
    process.destroy();
    admin.rbac().clusterRoleBindings().withName(NAME).delete();
    admin.serviceAccounts().inNamespace(NAMESPACE).withName(NAME).delete();
  }
}
