// SPDX-License-Identifier: Apache-2.0
__asm__(".symver old_answer,answer@V_1");
int old_answer(void){return 1;}
__asm__(".symver new_answer,answer@@V_2");
int new_answer(void){return 2;}
int plain(void){return 3;}
__attribute__((weak)) int weak_one(void){return 4;}
__attribute__((visibility("hidden"))) int hidden_one(void){return 5;}
extern int wanted(void); extern int maybe(void) __attribute__((weak));
int user(void){return wanted()+(maybe?maybe():0);}
__thread int local_to_thread=7;
