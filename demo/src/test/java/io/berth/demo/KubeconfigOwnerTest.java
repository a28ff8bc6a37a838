package io.berth.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KubeconfigOwnerTest {
  @TempDir private Path folder;

  @Test
  void secondOwner_learnsWhoHasTheFile_andWhatToDo() throws IOException {
    Path kubeconfig = folder.resolve("build/kubeconfig");
    try (KubeconfigOwner first = KubeconfigOwner.take(kubeconfig)) {
      assertThatExceptionOfType(KubeconfigOwner.OwnedException.class)
          .isThrownBy(() -> KubeconfigOwner.take(kubeconfig))
          .withMessage(
              "%s is in use by another make run (process %d): stop it first, or choose another file"
                  + " with make run OUT=FILE",
              kubeconfig, ProcessHandle.current().pid());
      assertThat(first).isNotNull();
    }
  }

  @Test
  void file_isFreeAgain_whenItsOwnerIsClosed() throws IOException {
    Path kubeconfig = folder.resolve("kubeconfig");
    KubeconfigOwner.take(kubeconfig).close();

    try (KubeconfigOwner second = KubeconfigOwner.take(kubeconfig)) {
      assertThat(second).isNotNull();
    }
  }
}
