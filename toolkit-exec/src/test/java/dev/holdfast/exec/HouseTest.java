package dev.holdfast.exec;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaModifier.PROTECTED;
import static com.tngtech.archunit.core.domain.JavaModifier.PUBLIC;
import static com.tngtech.archunit.lang.conditions.ArchConditions.callMethodWhere;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The house: who may know whom. */
class HouseTest {
  private static final String EXEC = "dev.holdfast.exec";

  /** All but the command line, whose demo needs a process that is not Holdfast's. */
  private static final String[] MACHINERY = {
    "dev.holdfast.scope..",
    EXEC,
    EXEC + ".spawn..",
    EXEC + ".reactor..",
    EXEC + ".pipe..",
    EXEC + ".identity..",
    EXEC + ".libc.."
  };

  private static final String TASK_GROUP = "dev\\.holdfast\\.scope\\.TaskGroup(\\$.*)?";

  private static final JavaClasses HOUSE =
      new ClassFileImporter()
          .withImportOption(new ImportOption.DoNotIncludeTests())
          .importPackages("dev.holdfast");

  /** Or else a rule could pass because it sees nothing. */
  @Test
  void house_allOfIt_isSeen() {
    var counts =
        HOUSE.stream()
            .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
    assertThat(counts.get("dev.holdfast.scope")).isGreaterThanOrEqualTo(20);
    assertThat(counts.get("dev.holdfast.testkit")).isGreaterThanOrEqualTo(35);
    assertThat(counts.get(EXEC)).isGreaterThanOrEqualTo(50);
    assertThat(counts.get(EXEC + ".spawn")).isGreaterThanOrEqualTo(50);
    assertThat(counts.get(EXEC + ".reactor")).isGreaterThanOrEqualTo(9);
    assertThat(counts.get(EXEC + ".pipe")).isGreaterThanOrEqualTo(8);
    assertThat(counts.get(EXEC + ".identity")).isGreaterThanOrEqualTo(8);
    assertThat(counts.get(EXEC + ".libc")).isGreaterThanOrEqualTo(25);
    assertThat(HOUSE).noneMatch(type -> type.getSimpleName().endsWith("Test"));
  }

  @Test
  void exec_imports_runDownwardsOnly() {
    layeredArchitecture()
        .consideringOnlyDependenciesInLayers()
        .optionalLayer("cli")
        .definedBy(EXEC + ".cli..")
        .layer("exec")
        .definedBy(EXEC)
        .layer("spawn")
        .definedBy(EXEC + ".spawn..")
        .layer("reactor")
        .definedBy(EXEC + ".reactor..")
        .layer("pipe")
        .definedBy(EXEC + ".pipe..")
        .layer("identity")
        .definedBy(EXEC + ".identity..")
        .layer("libc")
        .definedBy(EXEC + ".libc..")
        .whereLayer("cli")
        .mayNotBeAccessedByAnyLayer()
        .whereLayer("exec")
        .mayOnlyAccessLayers("spawn", "reactor", "pipe", "identity", "libc")
        .whereLayer("spawn")
        .mayOnlyAccessLayers("reactor", "pipe", "identity", "libc")
        .whereLayer("reactor")
        .mayOnlyAccessLayers("pipe", "identity", "libc")
        .whereLayer("pipe")
        .mayOnlyAccessLayers("libc")
        .whereLayer("identity")
        .mayOnlyAccessLayers("libc")
        .whereLayer("libc")
        .mayNotAccessAnyLayer()
        .check(HOUSE);
  }

  /** Without this a new package would be in no layer, and free of the rule above. */
  @Test
  void exec_packages_areThoseThatTheRulesKnow() {
    assertThat(HOUSE.stream().map(JavaClass::getPackageName).collect(Collectors.toSet()))
        .isSubsetOf(
            "dev.holdfast.scope",
            "dev.holdfast.testkit",
            EXEC,
            EXEC + ".cli",
            EXEC + ".spawn",
            EXEC + ".reactor",
            EXEC + ".pipe",
            EXEC + ".identity",
            EXEC + ".libc");
  }

  @Test
  void packages_haveNoCycles() {
    slices().matching("dev.holdfast.(**)").should().beFreeOfCycles().check(HOUSE);
  }

  @Test
  void modules_dependOnCoreAlone() {
    noClasses()
        .that()
        .resideInAPackage("dev.holdfast.scope..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(EXEC + "..", "dev.holdfast.testkit..", "jnr..", "com.kenai..")
        .check(HOUSE);
    noClasses()
        .that()
        .resideInAPackage("dev.holdfast.testkit..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(EXEC + "..", "jnr..", "com.kenai..")
        .because("it witnesses through /proc, apart from the code under test")
        .check(HOUSE);
    noClasses()
        .that()
        .resideInAPackage(EXEC + "..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("dev.holdfast.testkit..")
        .check(HOUSE);
  }

  @Test
  void jnr_livesInLibcAlone() {
    noClasses()
        .that()
        .resideOutsideOfPackage(EXEC + ".libc..")
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage("jnr..", "com.kenai..")
        .check(HOUSE);
    assertThat(HOUSE)
        .as("the rule sees JNR where it is")
        .anyMatch(
            type ->
                type.getDirectDependenciesFromSelf().stream()
                    .anyMatch(d -> d.getTargetClass().getPackageName().startsWith("jnr.ffi")));
  }

  @Test
  void picocli_livesInCliAlone() {
    noClasses()
        .that()
        .resideOutsideOfPackage(EXEC + ".cli..")
        .should()
        .dependOnClassesThat()
        .resideInAPackage("picocli..")
        .because("it is an optional dependency")
        .check(HOUSE);
  }

  @Test
  void structuredTaskScope_isKnownToTaskGroupAlone() throws IOException {
    noClasses()
        .should()
        .dependOnClassesThat()
        .haveNameMatching("java\\.util\\.concurrent\\.(StructuredTaskScope|Structure).*")
        .because("a preview type would mark our class files")
        .check(HOUSE);
    noClasses()
        .that()
        .haveNameNotMatching(TASK_GROUP)
        .should()
        .dependOnClassesThat()
        .areAssignableTo(java.lang.invoke.MethodHandle.class)
        .check(HOUSE);

    Set<String> naming = new HashSet<>();
    for (var type : HOUSE) {
      if (constants(type).contains("StructuredTaskScope")) {
        naming.add(type.getName());
      }
    }
    assertThat(naming).isNotEmpty().allMatch(name -> name.matches(TASK_GROUP));
  }

  private static String constants(JavaClass type) throws IOException {
    try (InputStream in = type.getSource().orElseThrow().getUri().toURL().openStream()) {
      return new String(in.readAllBytes(), ISO_8859_1);
    }
  }

  @Test
  void exec_startsProcessesByItselfAlone() {
    noClasses()
        .that()
        .resideInAnyPackage(MACHINERY)
        .should()
        .dependOnClassesThat()
        .belongToAnyOf(ProcessBuilder.class, Process.class)
        .check(HOUSE);
    noClasses()
        .that()
        .resideInAnyPackage(MACHINERY)
        .should(
            callMethodWhere(
                describe(
                    "Runtime.exec is called",
                    call ->
                        call.getTargetOwner().isEquivalentTo(Runtime.class)
                            && call.getName().equals("exec"))))
        .check(HOUSE);
  }

  @Test
  void publicTypes_signatures_haveNoInternalTypes() {
    classes()
        .that()
        .resideInAnyPackage(EXEC, "dev.holdfast.scope", "dev.holdfast.testkit")
        .and(describe("are public", ShowNothingInternal::isPublic))
        .should(new ShowNothingInternal())
        .check(HOUSE);
  }

  @Test
  void packages_areNullMarked() {
    classes()
        .that(resideInAPackage("dev.holdfast.."))
        .should(
            new ArchCondition<>("be in a package that is @NullMarked") {
              @Override
              public void check(JavaClass type, ConditionEvents events) {
                events.add(
                    new SimpleConditionEvent(
                        type,
                        type.getPackage().isAnnotatedWith(NullMarked.class),
                        type.getPackageName() + " of " + type.getSimpleName()));
              }
            })
        .check(HOUSE);
  }

  /** Supertypes, and all types that a public or protected member mentions, generic ones too. */
  private static final class ShowNothingInternal extends ArchCondition<JavaClass> {
    ShowNothingInternal() {
      super("show public types of the public packages only");
    }

    @Override
    public void check(JavaClass type, ConditionEvents events) {
      type.getInterfaces().forEach(shown -> judge(type, type.getName(), shown.toErasure(), events));
      type.getRawSuperclass().ifPresent(shown -> judge(type, type.getName(), shown, events));
      for (JavaMember member : type.getMembers()) {
        if (isShown(member)) {
          for (JavaClass shown : member.getAllInvolvedRawTypes()) {
            judge(type, member.getFullName(), shown, events);
          }
          if (member instanceof JavaCodeUnit unit) {
            unit.getExceptionTypes().forEach(t -> judge(type, member.getFullName(), t, events));
          }
        }
      }
    }

    private static boolean isShown(JavaMember member) {
      return member.getModifiers().contains(PUBLIC) || member.getModifiers().contains(PROTECTED);
    }

    private static void judge(
        JavaClass type, String place, JavaClass shown, ConditionEvents events) {
      var base = shown.getBaseComponentType();
      if (base.getPackageName().startsWith("dev.holdfast") && !isPublic(base)) {
        events.add(SimpleConditionEvent.violated(type, place + " shows " + base.getName()));
      }
    }

    private static boolean isPublic(JavaClass type) {
      var isInPublicPackage =
          Set.of(EXEC, "dev.holdfast.scope", "dev.holdfast.testkit")
              .contains(type.getPackageName());
      return isInPublicPackage
          && (type.getModifiers().contains(PUBLIC) || type.getModifiers().contains(PROTECTED))
          && type.getEnclosingClass().map(ShowNothingInternal::isPublic).orElse(true);
    }
  }
}
