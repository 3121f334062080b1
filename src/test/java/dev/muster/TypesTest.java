package dev.muster;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toList;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Each top-level type has a name of its own. */
@Execution(ExecutionMode.CONCURRENT)
class TypesTest {

  /**
   * A nested type has no name of a top-level one. The agent library is a separate artifact and may
   * use the same names.
   */
  @Test
  void oneNameStandsForOneTypeOfTheServer() {
    List<JavaClass> types =
        new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages("dev.muster")
                .stream()
                .filter(type -> !type.getSimpleName().equals("package-info"))
                .toList();
    Map<String, List<String>> byName =
        types.stream()
            .filter(JavaClass::isTopLevelClass)
            .collect(
                groupingBy(JavaClass::getSimpleName, mapping(JavaClass::getFullName, toList())));
    assertThat(byName).isNotEmpty().allSatisfy((name, same) -> assertThat(same).hasSize(1));
    assertThat(types)
        .filteredOn(type -> type.isNestedClass() && byName.containsKey(type.getSimpleName()))
        .isEmpty();
  }
}
