package io.berth.demo.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rule that a module depends only on the modules that the architecture allows. */
class ModuleRulesTest {

  private static final Map<String, Set<String>> MAY_DEPEND_ON =
      Map.of(
          "rules", Set.of(),
          "crds", Set.of(),
          "engine", Set.of("crds", "rules"),
          "serving", Set.of(),
          "webhook", Set.of("crds", "rules", "serving"),
          "sandbox", Set.of("rules"),
          "operator", Set.of("crds", "engine", "rules", "serving", "webhook"),
          "benchmarks", Set.of("crds", "engine", "serving", "webhook"),
          "demo",
              Set.of("crds", "engine", "serving", "webhook", "sandbox", "operator", "benchmarks"));

  static Set<String> modules() {
    return new TreeSet<>(MAY_DEPEND_ON.keySet());
  }

  @Test
  void everyPackage_belongsToAModuleThatTheRulesKnow() {
    assertThat(BerthClasses.all())
        .extracting(type -> type.getPackageName().split("\\.")[2])
        .as("add a module to the rules before its first class")
        .isSubsetOf(MAY_DEPEND_ON.keySet());
  }

  @ParameterizedTest
  @MethodSource("modules")
  void module_dependsOnNamedModulesOnly(String module) {
    String[] forbidden =
        modules().stream()
            .filter(other -> !other.equals(module))
            .filter(other -> !MAY_DEPEND_ON.get(module).contains(other))
            .map(other -> "io.berth." + other + "..")
            .toArray(String[]::new);
    if (forbidden.length == 0) {
      assertThat(module).isEqualTo("demo");
      return;
    }

    noClasses()
        .that()
        .resideInAPackage("io.berth." + module + "..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(forbidden)
        .because("the architecture lets " + module + " use " + MAY_DEPEND_ON.get(module))
        .allowEmptyShould(true)
        .check(BerthClasses.all());
  }
}
