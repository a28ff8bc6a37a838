package io.berth.demo.architecture;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.lang.syntax.elements.GivenClassesConjunction;
import java.time.Clock;
import java.time.Instant;
import java.util.concurrent.ThreadLocalRandom;
import org.junit.jupiter.api.Test;

/**
 * The rules for the engine, which is a pure library: the same events in the same order result in
 * the same decisions.
 */
class EngineRulesTest {

  private static GivenClassesConjunction engineClasses() {
    return noClasses().that().resideInAPackage("io.berth.engine..");
  }

  @Test
  void engine_hasNoInputOrOutput() {
    engineClasses()
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("java.net..", "java.io..", "java.nio.file..", "java.nio.channels..")
        .check(BerthClasses.all());
  }

  @Test
  void engine_hasNoThreadsOrLocks() {
    engineClasses()
        .should()
        .dependOnClassesThat()
        .resideInAPackage("java.util.concurrent..")
        .orShould()
        .dependOnClassesThat()
        .belongToAnyOf(Thread.class, ThreadLocal.class, java.util.Timer.class)
        .check(BerthClasses.all());
  }

  @Test
  void engine_readsNoClock() {
    engineClasses()
        .should()
        .callMethod(System.class, "currentTimeMillis")
        .orShould()
        .callMethod(System.class, "nanoTime")
        .orShould()
        .callMethodWhere(target(owner(inJavaTime())).and(target(name("now"))))
        .orShould()
        .callMethodWhere(target(owner(nameMatching(Clock.class.getName()))))
        .check(BerthClasses.all());
  }

  @Test
  void engine_drawsNoChanceOfItsOwn() {
    engineClasses()
        .should()
        .callMethod(Math.class, "random")
        .orShould()
        .callConstructor(java.util.Random.class)
        .orShould()
        .dependOnClassesThat()
        .belongToAnyOf(ThreadLocalRandom.class, java.security.SecureRandom.class)
        .check(BerthClasses.all());
  }

  @Test
  void engine_doesNotKnowTheKubernetesClient() {
    engineClasses()
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.fabric8.kubernetes.client..")
        .check(BerthClasses.all());
  }

  @Test
  void kubernetesModel_isKnownToOneRoomOfTheEngine() {
    engineClasses()
        .and()
        .resideOutsideOfPackage("io.berth.engine.kube..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("io.fabric8..")
        .check(BerthClasses.all());
  }

  private static DescribedPredicate<JavaClass> inJavaTime() {
    return DescribedPredicate.describe(
        "in java.time", type -> type.getPackageName().equals(Instant.class.getPackageName()));
  }
}
