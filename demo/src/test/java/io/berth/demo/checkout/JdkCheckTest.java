package io.berth.demo.checkout;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The search for a JDK 25, and the message if there is none. */
class JdkCheckTest {

  private static final Path SCRIPT = Path.of("..", ".ci", "jdk25").toAbsolutePath();

  @TempDir private Path folder;

  @Test
  void noJdk_saysWhatToInstall() throws Exception {
    Answer answer = ask(Map.of());

    assertThat(answer.status()).isEqualTo(1);
    assertThat(answer.out()).isEmpty();
    assertThat(answer.err())
        .contains("needs a JDK 25 or newer, and none was found")
        .contains("Install one")
        .contains("temurin-25-jdk")
        .contains("JAVA_HOME");
  }

  @Test
  void olderJdk_isNotTaken() throws Exception {
    Path jdk = jdk("jdk-21", "21.0.2");

    assertThat(ask(Map.of("JAVA_HOME", jdk.toString())).status()).isEqualTo(1);
  }

  @Test
  void jdkOfJavaHome_isTaken() throws Exception {
    Path jdk = jdk("some-jdk", "25.0.1");

    assertThat(ask(Map.of("JAVA_HOME", jdk.toString())).out()).isEqualTo(jdk.toString());
  }

  @Test
  void jdkInAFolderOfJdks_isFoundBesideOlderOnes() throws Exception {
    jdk("a-jdk-17", "17.0.9");
    Path newer = jdk("b-jdk-26", "26");

    assertThat(ask(Map.of("BERTH_JDK_FOLDERS", folder.toString())).out())
        .isEqualTo(newer.toString());
  }

  private Path jdk(String name, String version) throws IOException {
    Path home = Files.createDirectories(folder.resolve(name));
    Path javac = Files.createFile(Files.createDirectories(home.resolve("bin")).resolve("javac"));
    assertThat(javac.toFile().setExecutable(true)).isTrue();
    Files.writeString(home.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
    return home;
  }

  /** Runs the script in an environment with only a few tools and the given variables. */
  private Answer ask(Map<String, String> environment) throws Exception {
    Path tools = Files.createDirectories(folder.resolve("tools"));
    for (String tool : new String[] {"sed", "cat", "readlink"}) {
      Path call = tools.resolve(tool);
      Files.writeString(call, "#!/bin/sh\nexec " + where(tool) + " \"$@\"\n");
      assertThat(call.toFile().setExecutable(true)).isTrue();
    }
    ProcessBuilder builder = new ProcessBuilder("/bin/sh", SCRIPT.toString());
    builder.environment().clear();
    builder.environment().put("PATH", tools.toString());
    builder.environment().put("HOME", folder.resolve("home").toString());
    builder.environment().put("BERTH_JDK_FOLDERS", "");
    builder.environment().putAll(environment);
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    String err = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
    return new Answer(process.waitFor(), out.strip(), err);
  }

  private static Path where(String tool) {
    for (String folder : new String[] {"/usr/bin", "/bin"}) {
      Path path = Path.of(folder, tool);
      if (Files.isExecutable(path)) {
        return path;
      }
    }
    throw new IllegalStateException(tool + " is in neither /usr/bin nor /bin");
  }

  private record Answer(int status, String out, String err) {}
}
