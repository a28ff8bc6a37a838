package io.berth.demo.architecture;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaPackage;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * The rules that packages are named after their content and that no null crosses a package border.
 */
class NamingRulesTest {

  @Test
  void package_isNamedAfterWhatItHolds() {
    for (String layer :
        List.of("util", "utils", "common", "manager", "helper", "helpers", "impl")) {
      noClasses()
          .should()
          .resideInAPackage(".." + layer + "..")
          .because("a package is named after the field, not after a layer")
          .check(BerthClasses.all());
    }
  }

  @Test
  void class_isNotNamedAfterALayer() {
    noClasses()
        .should()
        .haveNameMatching(".*(Utils?|Helpers?|Impl)(\\$.*)?")
        .because("a name says what the class is in the field")
        .check(BerthClasses.all());
  }

  @Test
  void class_isNoManager_butWhereKubernetesCallsItSo() {
    noClasses()
        .that()
        .haveNameNotMatching(".*\\.ManagedFields\\$.*")
        .should()
        .haveNameMatching(".*Managers?(\\$.*)?")
        .because(
            "managing is not a task by itself: name what the class does; field managers are API")
        .check(BerthClasses.all());
  }

  @Test
  void everyPackage_isNullMarked() {
    Set<String> unmarked =
        BerthClasses.all().stream()
            .map(JavaClass::getPackage)
            .distinct()
            .filter(room -> !isNullMarked(room))
            .map(JavaPackage::getName)
            .collect(Collectors.toSet());

    assertThat(unmarked).as("packages whose package-info.java lacks @NullMarked").isEmpty();
  }

  private static boolean isNullMarked(JavaPackage room) {
    return room.tryGetPackageInfo()
        .map(info -> info.isAnnotatedWith(NullMarked.class))
        .orElse(false);
  }

  @Test
  void noStaticState_isMutable() {
    fields()
        .that()
        .areStatic()
        .should()
        .beFinal()
        .because("state belongs to an object that somebody owns")
        .check(BerthClasses.all());
  }
}
