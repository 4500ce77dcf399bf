// A league: each team has a number of its own, and the teams together do each piece of work once.
#include "device.h"

enum { kTeams = 6, kItems = 600 };

int main(void) {
  require_device();
  int seen[kTeams] = {0};
  int teams = 0;
#pragma omp target teams num_teams(kTeams) thread_limit(64) map(tofrom : seen, teams)
  {
    const int team = omp_get_team_num();
    seen[team] += 1;
    if (team == 0) {
      teams = omp_get_num_teams();
    }
  }
  CHECK(teams >= 1 && teams <= kTeams);
  for (int team = 0; team < teams; ++team) {
    CHECK_EQUAL(seen[team], 1);
  }

  // The initial thread of each team takes every n-th item.
  int owner[kItems];
#pragma omp target teams num_teams(kTeams) map(from : owner)
  for (int i = omp_get_team_num(); i < kItems; i += omp_get_num_teams()) {
    owner[i] = omp_get_team_num();
  }
  for (int i = 0; i < kItems; ++i) {
    CHECK(owner[i] >= 0 && owner[i] < kTeams);
    CHECK_EQUAL(owner[i], owner[i % teams]);
  }

  // Threads of several teams add to one sum.
  long sum = 0;
#pragma omp target teams num_teams(4) map(tofrom : sum) reduction(+ : sum)
  {
    long team_sum = 0;
#pragma omp parallel for reduction(+ : team_sum)
    for (int i = 0; i < 100; ++i) {
      team_sum += i;
    }
    sum += team_sum == 4950;
  }
  CHECK(sum >= 1 && sum <= 4);
  printf("teams: every team took part\n");
  return pass();
}
